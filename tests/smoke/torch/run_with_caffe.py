"""Runs under a Python that can `import caffe`: one forward and backward pass of each net in a folder.

A case is NAME.json, {"net": text, "phase": "TRAIN" or "TEST", "passes": forward passes, "backward": bool}, and
NAME.npz, with "input/BLOB", "param/LAYER/NUMBER" and "diff/BLOB" for the gradients to begin with (without any, the
net's losses begin). NAME.out.npz gets "data/BLOB", "grad/BLOB", "param/LAYER/NUMBER" and "param_grad/LAYER/NUMBER";
NAME.err the log of one that died.
"""

import glob
import json
import os
import signal
import sys

os.environ.update(GLOG_logtostderr="1")
import caffe
import numpy

SECONDS = 60


def run(case):
    with open(case + ".json") as file:
        job = json.load(file)
    given = numpy.load(case + ".npz")
    net = caffe.Net(case + ".prototxt", getattr(caffe, job["phase"]))
    for key in given.files:
        kind, _, name = key.partition("/")
        if kind == "param":
            layer, _, number = name.rpartition("/")
            net.params[layer][int(number)].data[...] = given[key]
    for _ in range(job["passes"]):
        # In each pass anew, as a layer that runs in place overwrites them.
        for key in given.files:
            if key.startswith("input/"):
                net.blobs[key[6:]].data[...] = given[key]
        net._forward(0, len(net.layers) - 1)
    found = {"data/" + name: blob.data.copy() for name, blob in net.blobs.items()}
    if job["backward"]:
        for key in given.files:
            kind, _, name = key.partition("/")
            if kind == "diff":
                diff = net.blobs[name].diff
                diff[...] = given[key].reshape(-1)[: diff.size].reshape(diff.shape)
        net._backward(len(net.layers) - 1, 0)
        found.update({"grad/" + name: blob.diff.copy() for name, blob in net.blobs.items()})
    for layer, blobs in net.params.items():
        for number, blob in enumerate(blobs):
            found[f"param/{layer}/{number}"] = blob.data.copy()
            found[f"param_grad/{layer}/{number}"] = blob.diff.copy()
    numpy.savez(case + ".out.npz", **found)


def main():
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.json"))):
        case = path[: -len(".json")]
        with open(path) as file, open(case + ".prototxt", "w") as net:
            net.write(json.load(file)["net"])
        child = os.fork()
        if child == 0:
            log = os.open(case + ".err", os.O_WRONLY | os.O_CREAT)
            os.dup2(log, 2)
            signal.alarm(SECONDS)
            try:
                run(case)
            except BaseException as error:
                os.write(2, f"error: {error!r}\n".encode())
                os._exit(1)
            os._exit(0)
        os.waitpid(child, 0)


main()
