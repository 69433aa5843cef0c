"""Caffe's messages: BVLC's in `caffe.proto`, what forks add in `forks/`, and who knows what in provenance.json.

To add a fork: give it a line in the `forks` of provenance.json, write what is new in its overlay with the next free
numbers from 10000 up, add it to the lines of all names that it knows, and run `make proto`, which writes `caffe.desc`
and the type stubs. `tools/build_proto.py` says how the sources are merged.
"""
