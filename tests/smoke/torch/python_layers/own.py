import json

import caffe
import numpy as np
import yaml
from caffe._caffe import RawBlobVec
from caffe.proto import caffe_pb2


class Data(caffe.Layer):
    """Random images; those of a class are brighter."""

    def setup(self, bottom, top):
        self.p = json.loads(self.param_str)
        self.random = np.random.RandomState(self.phase + 1)

    def reshape(self, bottom, top):
        top[0].reshape(self.p["batch"], 2, 6, 6)
        top[1].reshape(self.p["batch"])

    def forward(self, bottom, top):
        labels = self.random.randint(self.p["classes"], size=self.p["batch"])
        top[0].data[...] = self.random.randn(*top[0].data.shape) + labels.reshape(-1, 1, 1, 1)
        top[1].data[...] = labels

    def backward(self, top, propagate_down, bottom):
        pass


class InPlace(caffe.Layer):
    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        top[0].reshape(*bottom[0].shape)

    def forward(self, bottom, top):
        self.slope = np.where(bottom[0].data > 0, 1, 0.1)
        top[0].data[...] *= self.slope

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff * self.slope


class TwoTops(caffe.Layer):
    def setup(self, bottom, top):
        self.cut = eval("{" + self.param_str + "}")["cut"]
        if len(top) != 2 or not isinstance(top, RawBlobVec) or caffe_pb2.TEST != caffe.TEST:
            raise Exception("two tops")

    def reshape(self, bottom, top):
        n, c, h, w = bottom[0].num, bottom[0].channels, bottom[0].height, bottom[0].width
        top[0].reshape(n, self.cut, h, w)
        top[1].reshape(n, c - self.cut, h, w)

    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data[:, : self.cut]
        top[1].data[...] = bottom[0].data[:, self.cut :]

    def backward(self, top, propagate_down, bottom):
        for i in range(len(bottom)):
            if not propagate_down[i]:
                continue
            bottom[0].diff[:, : self.cut] = top[0].diff
            bottom[0].diff[:, self.cut :] = top[1].diff


class Linear(caffe.Layer):
    def setup(self, bottom, top):
        self.outputs = yaml.load(self.param_str)["num_output"]
        size = bottom[0].count // bottom[0].shape[0]
        self.blobs.add_blob(self.outputs, size)
        self.blobs.add_blob(self.outputs)
        self.blobs.add_blob(1)
        self.blobs[0].data[...] = np.random.RandomState(3).uniform(-0.1, 0.1, (self.outputs, size))

    def reshape(self, bottom, top):
        top[0].reshape(bottom[0].shape[0], self.outputs)

    def forward(self, bottom, top):
        flat = bottom[0].data.reshape(bottom[0].data.shape[0], -1)
        top[0].data[...] = flat.dot(self.blobs[0].data.T) + self.blobs[1].data

    def backward(self, top, propagate_down, bottom):
        flat = bottom[0].data.reshape(bottom[0].data.shape[0], -1)
        self.blobs[0].diff[...] += top[0].diff.T.dot(flat)
        self.blobs[1].diff[...] += top[0].diff.sum(axis=0)
        self.blobs[2].data[0] += 1  # counts
        bottom[0].diff[...] = top[0].diff.dot(self.blobs[0].data).reshape(bottom[0].data.shape)


class Loss(caffe.Layer):
    """Softmax and log, with the loss weight; it writes to its labels' diff too."""

    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        self.diff = np.zeros_like(bottom[0].data, dtype=np.float32)
        top[0].reshape(1)

    def forward(self, bottom, top):
        scores = bottom[0].data - bottom[0].data.max(axis=1, keepdims=True)
        share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        rows = np.arange(bottom[0].num), bottom[1].data.astype(np.int)
        top[0].data[...] = -np.log(share[rows]).mean()
        self.diff[...] = share
        self.diff[rows] -= 1

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff[...] = top[0].diff[0] * self.diff / bottom[0].num
        bottom[1].diff[...] = 7


class Some(caffe.Layer):
    """The samples of even labels, and the first: how many differs in each iteration."""

    def setup(self, bottom, top):
        pass

    def reshape(self, bottom, top):
        self.rows = np.unique(np.append(np.where(bottom[1].data % 2 == 0)[0], 0))
        top[0].reshape(len(self.rows), bottom[0].shape[1])
        top[1].reshape(len(self.rows))

    def forward(self, bottom, top):
        top[0].data[...] = bottom[0].data[self.rows]
        top[1].data[...] = bottom[1].data[self.rows]

    def backward(self, top, propagate_down, bottom):
        bottom[0].diff.fill(0)
        bottom[0].diff[self.rows] = top[0].diff
