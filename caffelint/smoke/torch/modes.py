"""What else than training a job may ask of torch: to record data, measure passes, check gradients, follow data."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from caffelint.schema import NetParameter
from caffelint.smoke.alike import Told
from caffelint.smoke.arrays import Arrays, Batches
from caffelint.smoke.events import BACKWARD, Gradient, Iteration, Running
from caffelint.smoke.job import CHECKS, FOLLOWS, MEASURES, RECORDS, SCANS
from caffelint.smoke.torch.base import LabelOutside
from caffelint.smoke.torch.engine import BEFORE, Broken, Run
from caffelint.smoke.torch.net import TorchNet
from caffelint.smoke.torch.one_layer import array, one_by_one, own_doings
from caffelint.smoke.torch.search import Search

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer

MOST_BYTES = 512 << 20


class Record(Run):
    """The weights at the start, and batches of all layers that read nothing."""

    def work(self) -> None:
        folder = Path(self.job.folder)
        (folder / "start.caffemodel").write_bytes(weights_of(self.net))
        batches: Any = Batches(self.job.folder)  # type: ignore[no-untyped-call]
        number = 0
        while number < self.job.batches and (not number or batches.bytes * (number + 1) // number <= MOST_BYTES):
            given = self.feeds[0].next(0)
            for layer in self.net.layers:
                if layer.takes_input or (layer.spec.type == "Python" and not layer.spec.bottoms):
                    tops = layer.read(given) if layer.takes_input else layer.forward([])
                    for blob, values in zip(layer.spec.tops, tops, strict=True):
                        batches.write(blob.name, number, array(values))
            number += 1
        batches.close(number)


class Measure(Run):
    """A pass forward and backward, then the iterations; samples of all that is computed."""

    def work(self) -> None:
        net = self.net
        out: Any = Arrays(self.job.folder)  # type: ignore[no-untyped-call]
        kept = [param.data.detach().clone() for param in net.params]

        def forward(layer: BuiltLayer, top: int, data: Tensor) -> None:
            out.write("forward", layer.name, layer.tops[top].name, top, array(data))

        def backward(layer: BuiltLayer, top: int, gradient: Tensor) -> None:
            out.write("backward", layer.name, layer.tops[top].name, top, array(gradient))

        net.on_top, net.on_gradient = forward, backward
        with self.precision():
            net.forward(self.feeds[0].next(0))
        net.backward()
        net.on_top = net.on_gradient = None
        for param in net.params:
            if param.data.grad is not None:
                out.write("gradient", param.layer.name, str(param.index), param.index, array(param.data.grad))
        with torch.no_grad():
            for param, values in zip(net.params, kept, strict=True):
                param.data.copy_(values)
        net.clear_gradients()
        self.params(out, -1)
        out.close()
        for iteration in range(self.job.iterations):
            self.iteration = iteration
            try:
                self.iterate()
            except Broken:
                break
            self.params(out, iteration)
            out.close()
            self.done += 1
            if not math.isfinite(self.loss):
                break

    def params(self, out: Any, iteration: int) -> None:
        for param in self.net.params:
            out.write("param", param.layer.name, str(param.index), param.index, array(param.data), iteration)


class Gradients(Run):
    """Each layer that is asked for, at what it reads in the first pass."""

    def work(self) -> None:
        from caffelint.smoke import gradients

        for check, one in one_by_one(self.net, self.feeds[0].next(0), self.job.checks):
            self.emit(Running(0, check.layer, BACKWARD, BEFORE))
            if check.gradient:
                found: Any = gradients.check(one, check._asdict(), self.job.seed)  # type: ignore[no-untyped-call]
                for event in found:
                    self.emit(Gradient(**event))
            for event in own_doings(one, check, self.job.seed):
                self.emit(event)


def weights_of(net: TorchNet) -> bytes:
    """A net's parameters as a .caffemodel (Net::ToProto, with what copying them back needs)."""
    message: Any = NetParameter()
    for name, params in net.layer_params.items():
        layer = message.layer.add(name=name)
        for values in params:
            blob = layer.blobs.add()
            blob.shape.dim.extend(values.shape)
            blob.data.extend(array(values).ravel())
    data: bytes = message.SerializeToString()
    return data


class Scan(Run):
    """Each batch forward, whatever it gives."""

    def work(self) -> None:
        net = self.net
        told = False
        for number in range(self.job.iterations):
            self.iteration = number
            search = Search(net)
            self.loss = math.nan
            try:
                with torch.no_grad(), self.precision():
                    search.run_forward(self.feeds[0].next(number))
                if search.found is None:
                    self.loss = float(net.loss)
            except LabelOutside as error:
                if not told:
                    self.labels_outside(error)
                told = True
            self.emit(Iteration(number, 0.0, self.loss, {}))
            if search.found is not None:
                self.emit(self.broken(search.found, 0.0).event)
            self.done += 1


class Follow(Run):
    """Batches forward, with the weights as they start: from what can targets be told?"""

    def work(self) -> None:
        from caffelint.smoke import followed

        net = self.net
        ways: list[Any] = [followed.Followed(way._asdict()) for way in self.job.ways]  # type: ignore[no-untyped-call]

        def forward(layer: BuiltLayer, top: int, values: Tensor) -> None:
            for way in ways:
                way.add(layer.name, top, array(values))

        net.on_top = forward
        end = time.monotonic() + followed.SECONDS
        while any(way.wants_more() for way in ways) and time.monotonic() < end and self.done < followed.MOST:
            with torch.no_grad(), self.precision():
                net.forward(self.feeds[0].next(self.done))
            for way in ways:
                way.end()
            self.done += 1
        net.on_top = None
        end = time.monotonic() + followed.SECONDS
        for way in ways:
            for found in way.results(lambda: time.monotonic() > end):
                self.emit(Told(**found))


MODES: dict[str, type[Run]] = {RECORDS: Record, MEASURES: Measure, CHECKS: Gradients, SCANS: Scan, FOLLOWS: Follow}
