"""What of pycaffe the runner asks for, for one net: data and label, an inner product, and half the squared distance.

Runs on Python 2.7 and 3. Reads the solver's `net:` and the shapes in that net, and nothing else of either.
"""

# ruff: noqa: UP004, UP010
from __future__ import division, print_function

import re
import sys

import numpy

__version__ = "0.0-stand-in"
LIST = ["InnerProduct", "EuclideanLoss", "Input"]


def layer_type_list():
    return LIST


def set_random_seed(seed):
    numpy.random.seed(seed)


def set_mode_cpu():
    pass


def set_device(number):
    sys.stderr.write("F0101 00:00:00.000000 1 common.cpp:66] Cannot use GPU in CPU-only Caffe: check mode.\n")
    sys.stderr.flush()
    sys.exit(134)


class Blob(object):
    def __init__(self, *shape):
        self.data = numpy.zeros(shape, "float32")
        self.diff = numpy.zeros(shape, "float32")

    def reshape(self, *shape):
        self.__init__(*shape)


class Blobs(list):
    pass


class Layer(object):
    def __init__(self, kind, *blobs):
        self.type = kind
        self.blobs = list(blobs)


class Net(object):
    _layer_names = ["data", "fc", "loss"]
    _blob_names = ["data", "label", "fc", "loss"]
    _blob_loss_weights = [0, 0, 0, 1]
    _outputs = [3]

    def __init__(self, path):
        with open(path) as file:
            text = file.read()
        shapes = [[int(dim) for dim in re.findall(r"dim: (\d+)", one)] for one in re.findall(r"shape \{(.*?)\}", text)]
        batch, wide = shapes[0]
        outputs = shapes[1][1]
        weights, bias = Blob(outputs, wide), Blob(outputs)
        weights.data[...] = numpy.random.uniform(-1, 1, weights.data.shape)
        self._blobs = [Blob(batch, wide), Blob(batch, outputs), Blob(batch, outputs), Blob()]
        self.layers = [Layer("Input"), Layer("InnerProduct", weights, bias), Layer("EuclideanLoss")]

    def _top_ids(self, layer):
        return [[0, 1], [2], [3]][layer]

    def _bottom_ids(self, layer):
        return [[], [0], [2, 1]][layer]

    def _forward(self, start, end):
        data, label, fc, loss = self._blobs
        weights, bias = self.layers[1].blobs
        for layer in range(start, end + 1):
            if layer == 1:
                fc.data[...] = data.data.dot(weights.data.T) + bias.data
            elif layer == 2:
                loss.data[...] = ((fc.data - label.data) ** 2).sum() / 2 / len(fc.data)
                loss.diff[...] = 1

    def _backward(self, start, end):
        data, label, fc, loss = self._blobs
        weights, bias = self.layers[1].blobs
        for layer in range(start, end - 1, -1):
            if layer == 2:
                fc.diff[...] = loss.diff * (fc.data - label.data) / len(fc.data)
            elif layer == 1:
                weights.diff[...] += fc.diff.T.dot(data.data)
                bias.diff[...] += fc.diff.sum(axis=0)

    def forward(self):
        self._forward(0, 2)

    def backward(self):
        self._backward(2, 0)

    def share_with(self, other):
        self.layers = other.layers

    def save(self, path):
        open(path, "wb").close()

    def copy_from(self, path):
        open(path, "rb").close()


class Solver(object):
    test_nets = []

    def __init__(self, path):
        with open(path) as file:
            text = file.read()
        self.net = Net(re.search(r'(?m)^net: "(.*)"', text).group(1))
        self.lr = float(re.search(r"base_lr: (\S+)", text).group(1))

    def step(self, steps):
        blobs = self.net.layers[1].blobs
        for blob in blobs:
            blob.diff[...] = 0
        self.net.forward()
        self.net.backward()
        for blob in blobs:
            blob.diff *= self.lr
            blob.data -= blob.diff


def get_solver(path):
    assert isinstance(path, str)
    return Solver(path)
