"""Runs each case on a real Caffe with random weights and inputs: `.caffe/caffe-python with_caffe.py FOLDER...`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import caffe
import numpy as np

# Blobs by name that hold whole numbers, or the marks of a sequence's start.
INDICES, MARKS = "index", "cont"


def _weights(net, rng):
    types = {name: layer.type for name, layer in zip(net._layer_names, net.layers)}  # noqa: B905
    for name, params in net.params.items():
        if types[name] == "BatchNorm":
            factor = 2.5
            params[0].data[...] = 0.3 * rng.randn(*params[0].data.shape) * factor
            params[1].data[...] = (rng.rand(*params[1].data.shape) + 0.5) * factor
            params[2].data[...] = factor
            continue
        for param in params:
            shape = param.data.shape
            if len(shape) > 1:
                fan_in = max(int(np.prod(shape[1:])), 1)
                param.data[...] = rng.randn(*shape) * np.sqrt(2.0 / fan_in)
            elif types[name] in ("Scale", "PReLU", "Normalize"):
                param.data[...] = rng.rand(*shape) * 0.6 + (0.7 if types[name] == "Scale" else 0.1)
            else:
                param.data[...] = 0.2 * rng.randn(*shape)


def _evened(net):
    """Scale weights so that what each layer makes has a deviation of 1: a saturated softmax would hide differences."""
    for index, name in enumerate(net._layer_names):
        net._forward(index, index)
        params = net.params.get(name, ())
        if not params or len(params[0].data.shape) < 2:
            continue
        deviation = float(net.blobs[net.top_names[name][0]].data.std())
        if 0 < deviation < np.inf:
            for param in params:
                param.data[...] /= deviation
            net._forward(index, index)


def _run(case):
    caffe.set_random_seed(7)
    rng = np.random.RandomState(3)
    net = caffe.Net(str(case / "net.prototxt"), caffe.TEST)
    _weights(net, rng)
    inputs = {}
    for name in net.inputs:
        shape = net.blobs[name].data.shape
        if name.startswith(INDICES):
            values = rng.randint(0, 5, shape)
        elif name.startswith(MARKS):
            values = np.array([0] + [1] * (shape[0] - 1)).reshape((-1,) + (1,) * (len(shape) - 1)) * np.ones(shape)
        elif name.startswith("positive"):
            values = rng.rand(*shape) + 0.1
        else:
            values = rng.randn(*shape)
        net.blobs[name].data[...] = inputs[name] = values.astype(np.float32)
    _evened(net)
    for name, values in inputs.items():
        net.blobs[name].data[...] = values  # a layer in place may have written over them
    outputs = {name: value.copy() for name, value in net.forward().items()}
    if not all(np.isfinite(value).all() for value in outputs.values()):
        raise ValueError("outputs that are not finite")
    if any(np.ptp(value) == 0 and value.size > 1 for value in outputs.values()):
        raise ValueError("an output is constant")
    np.savez(str(case / "in.npz"), **inputs)
    net.save(str(case / "net.caffemodel"))
    np.savez(str(case / "out.npz"), **outputs)


def main():
    caffe.set_mode_cpu()
    for folder in sys.argv[1:]:
        for case in sorted(Path(folder).iterdir()):
            if (case / "out.npz").exists() or (case / "refused.txt").exists():
                continue
            said = os.open(str(case / "refused.txt"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            child = os.fork()
            if child == 0:
                os.dup2(said, 2)
                try:
                    _run(case)
                    os._exit(0)
                except BaseException as error:
                    os.write(2, repr(error).encode())
                    os._exit(1)
            os.close(said)
            if os.waitpid(child, 0)[1] == 0:
                (case / "refused.txt").unlink()


if __name__ == "__main__":
    os.environ["GLOG_minloglevel"] = "2"  # noqa: SIM112
    main()
