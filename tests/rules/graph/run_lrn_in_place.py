"""Measures what an LRN in place behind a Sigmoid does to the gradient; runs under Caffe's own Python.

A JSON line for each: the largest error of the gradient of the data, relative to its largest entry.
"""

import json
import os
import tempfile

import caffe
import numpy

NET = """force_backward: true
layer {{ name: "data" type: "Input" top: "data" top: "goal" input_param {{ shape {{ dim: 4 dim: 6 dim: 5 dim: 5 }} }} }}
layer {{ name: "act" type: "Sigmoid" bottom: "data" top: "act" }}
layer {{ name: "norm" type: "LRN" bottom: "act" top: "{top}"
  lrn_param {{ alpha: {alpha} beta: {beta} k: {k} local_size: 3 norm_region: {region} }} }}
layer {{ name: "loss" type: "EuclideanLoss" bottom: "{top}" bottom: "goal" top: "loss" }}
"""


def gradient(top, **values):
    with open("net.prototxt", "w") as file:
        file.write(NET.format(top=top, **values))
    net = caffe.Net("net.prototxt", caffe.TRAIN)
    net.blobs["data"].data[...] = numpy.random.RandomState(1).randn(4, 6, 5, 5)
    net.blobs["goal"].data[...] = 0.2
    net.forward()
    net.backward()
    return net.blobs["data"].diff.copy()


def main():
    caffe.set_mode_cpu()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for region in ("ACROSS_CHANNELS", "WITHIN_CHANNEL"):
            for alpha in (5e-5, 1e-3, 0.1, -5e-5, -0.1):
                for beta in (0.75, 5):
                    for k in (1, 2):
                        values = {"region": region, "alpha": alpha, "beta": beta, "k": k}
                        right = gradient("norm", **values)
                        error = abs(gradient("act", **values) - right).max() / abs(right).max()
                        print(json.dumps({**values, "error": float(error)}), flush=True)


if __name__ == "__main__":
    main()
