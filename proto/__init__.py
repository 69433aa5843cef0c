"""Caffe's messages: BVLC master in `caffe.proto`, what each family of forks adds in `forks/`.

`tools/build_proto.py` compiles these sources into `caffe.desc`, which `caffelint.schema` loads.
"""
