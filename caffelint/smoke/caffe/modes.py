"""What else than training a job may ask of a real Caffe: to record data, measure passes, check gradients, follow data.

Needs only Python 2.7 or 3, numpy and caffe. It is copied beside runner.py, and given its `Run`.
"""

# ruff: noqa: B905, C402, SIM105, UP004, UP010
# mypy: ignore-errors
from __future__ import absolute_import, division

import os
import time

MOST_BYTES = 512 << 20


def record(run):
    """The weights at the start, and batches of all layers that read nothing."""
    from caffelint_engine import arrays

    net = run.nets[0]
    folder = run.job["folder"]
    net.net.save(os.path.join(folder, "start.caffemodel").encode() if str is bytes else folder + "/start.caffemodel")
    run.fill(0, 0)
    batches = arrays.Batches(folder)
    number = 0
    while number < run.job["batches"] and (not number or batches.bytes * (number + 1) // number <= MOST_BYTES):
        run.fill(0, 0)
        for layer, bottoms in enumerate(net.bottoms):
            if not bottoms and net.types[layer] != "Parameter":
                net.net._forward(layer, layer)
                for top in net.tops[layer]:
                    batches.write(net.blob_names[top], number, net.blobs[top].data)
        number += 1
    batches.close(number)


def measure(run):
    """A pass forward and backward layer by layer, then the iterations; samples of all that is computed."""
    from caffelint_engine import arrays

    net = run.nets[0]
    out = arrays.Arrays(run.job["folder"])
    kept = net.keep()
    run.fill(0, 0)
    for layer, name in enumerate(net.names):
        net.net._forward(layer, layer)
        for number, top in enumerate(net.tops[layer]):
            out.write("forward", name, net.blob_names[top], number, net.blobs[top].data)
    net.clear_diffs()
    for layer in reversed(range(len(net.names))):
        for number, top in enumerate(net.tops[layer]):
            out.write("backward", net.names[layer], net.blob_names[top], number, net.blobs[top].diff)
        net.net._backward(layer, layer)
    for layer, index, param in net.params:
        out.write("gradient", net.names[layer], str(index), index, param.diff)
    net.restore(kept)
    net.clear_diffs()
    params(out, net, -1)
    out.close()
    started = time.time()
    for iteration in range(run.job["iterations"]):
        run.fill(0, iteration % run.job["batches"])
        rate = run.rate(iteration)
        run.solver.step(1)
        loss, losses = net.losses()
        run.emit("iteration", iteration=iteration, rate=rate, loss=loss, losses=losses)
        params(out, net, iteration)
        out.close()
        run.completed += 1
        if loss - loss != 0:
            break
    run.seconds = time.time() - started


def params(out, net, iteration):
    for layer, index, param in net.params:
        out.write("param", net.names[layer], str(index), index, param.data, iteration)


def gradients(run):
    """Each layer that is asked for, at what it reads in the first pass."""
    from caffelint_engine import gradients as checks
    from caffelint_engine import mined, pulls

    net = run.nets[0]
    wanted = dict((check["layer"], check) for check in run.job["checks"])
    run.fill(0, 0)
    for number, name in enumerate(net.names):
        if name in wanted:
            layer = Layer(net, number)
            run.emit("running", net=0, layer=name, where="backward", iteration=-1)
            if wanted[name]["gradient"]:
                for event in checks.check(layer, wanted[name], run.job["seed"]):
                    run.emit("gradient", **event)
            for kind, look in (("pulled", pulls.pulls), ("mined", mined.mined)):
                found = look(layer, wanted[name], run.job["seed"])
                if found is not None:
                    run.emit(kind, **found)
            layer.restore()
        net.net._forward(number, number)


class Layer(object):
    """A layer of a net as gradients.py wants it: bottoms are copies, for a layer in place overwrites its own."""

    def __init__(self, net, number):
        self.net = net
        self.number = number
        self.bottom_blobs = [net.blobs[blob] for blob in net.bottoms[number]]
        self.top_blobs = [net.blobs[blob] for blob in net.tops[number]]
        self.param_blobs = list(net.net.layers[number].blobs)
        self.bottoms = [blob.data.copy() for blob in self.bottom_blobs]
        self.params = [blob.data for blob in self.param_blobs]
        self.kept = [values.copy() for values in self.params]

    def forward(self):
        self.restore_bottoms()
        self.net.net._forward(self.number, self.number)
        return [blob.data.copy() for blob in self.top_blobs]

    def backward(self, weights, before, restored=False):
        for blob in self.bottom_blobs:  # before the forward: HingeLoss keeps there what its backward reads
            blob.diff[...] = before
        for blob in self.param_blobs:
            blob.diff[...] = 0
        self.forward()
        if restored:
            self.restore_bottoms()
        for blob, weight in zip(self.top_blobs, weights):
            blob.diff[...] = 0 if weight is None else weight
        self.net.net._backward(self.number, self.number)
        return [blob.diff.copy() for blob in self.bottom_blobs], [blob.diff.copy() for blob in self.param_blobs]

    def restore_bottoms(self):
        for blob, values in zip(self.bottom_blobs, self.bottoms):
            blob.data[...] = values

    def restore(self):
        self.restore_bottoms()
        for values, kept in zip(self.params, self.kept):
            values[...] = kept


def scan(run):
    """Each batch forward, whatever it gives."""
    net = run.nets[0]
    for number in range(run.job["iterations"]):
        run.fill(0, number % run.job["batches"])
        net.net.forward()
        run.reads(0, 1)
        loss, losses = net.losses()
        run.emit("iteration", iteration=number, rate=0.0, loss=loss, losses=losses)
        run.completed += 1
        if not all(run.finite(blob.data) for blob in net.blobs):
            try:
                run.find_forward(net, number, 0.0)
            except run.ended:
                pass


def follow(run):
    """Batches forward layer by layer, with the weights as they start: from what can targets be told?"""
    from caffelint_engine import followed

    net = run.nets[0]
    ways = [followed.Followed(way) for way in run.job["ways"]]
    end = time.time() + followed.SECONDS
    while any(way.wants_more() for way in ways) and time.time() < end and run.completed < followed.MOST:
        run.fill(0, run.completed % run.job["batches"])
        for layer, name in enumerate(net.names):
            net.net._forward(layer, layer)
            for number, top in enumerate(net.tops[layer]):
                for way in ways:
                    way.add(name, number, net.blobs[top].data)
        for way in ways:
            way.end()
        run.completed += 1
    end = time.time() + followed.SECONDS
    for way in ways:
        for found in way.results(lambda: time.time() > end):
            run.emit("told", **found)


MODES = {"scan": scan, "record": record, "measure": measure, "gradients": gradients, "follow": follow}
