"""Runs under a Python that can `import caffe`: the parameters that Caffe's fillers make.

    caffe-python fill_with_caffe.py JOBS.json OUT.npz

Each job is {"shape": [..], "filler": text}; the file holds its values by its number.
"""

import json
import os
import sys
import tempfile

os.environ.update(GLOG_minloglevel="2")
import caffe
import numpy

LAYER = 'layer {{ name: "d" type: "DummyData" top: "d" dummy_data_param {{ shape {{ {} }} data_filler {{ {} }} }} }}'


def main():
    jobs_file, out_file = map(os.path.abspath, sys.argv[1:])
    with open(jobs_file) as file:
        jobs = json.load(file)
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.prototxt")
        caffe.set_random_seed(5)
        for number, job in enumerate(jobs):
            dims = " ".join(f"dim: {dim}" for dim in job["shape"])
            with open(path, "w") as file:
                file.write(LAYER.format(dims, job["filler"]))
            net = caffe.Net(path, caffe.TRAIN)
            net.forward()
            out[str(number)] = net.blobs["d"].data.copy()
    numpy.savez(out_file, **out)


main()
