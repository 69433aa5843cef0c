"""Runs under a Python that can `import caffe`: the batches that Caffe's data layers give.

    caffe-python read_with_caffe.py JOBS.json OUT.npz

Each job is {"net": text, "phase": "TRAIN" or "TEST", "passes": n}; the file holds NUMBER/PASS/BLOB.
"""

import json
import os
import sys
import tempfile

os.environ.update(GLOG_minloglevel="2")
import caffe
import numpy


def main():
    jobs_file, out_file = map(os.path.abspath, sys.argv[1:])
    with open(jobs_file) as file:
        jobs = json.load(file)
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.prototxt")
        for number, job in enumerate(jobs):
            with open(path, "w") as file:
                file.write(job["net"])
            net = caffe.Net(path, getattr(caffe, job["phase"]))
            for index in range(job["passes"]):
                net.forward()
                for name, blob in net.blobs.items():
                    out[f"{number}/{index}/{name}"] = blob.data.copy()
    numpy.savez(out_file, **out)


main()
