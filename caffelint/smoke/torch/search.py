"""Finds the first value of a pass that is nan or infinite, by running the pass once more, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from caffelint.smoke.events import BACKWARD, BLOB, FORWARD, PARAM, UPDATE
from caffelint.smoke.torch.python import BuiltPython
from caffelint.smoke.torch.statistics import Summary, summary

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net_parts import Blob
    from caffelint.smoke.torch.net import Parameter, TorchNet

Ranges = dict[str, tuple[float, float, int]]


class Culprit(NamedTuple):
    """What of an event `non_finite` this file knows."""

    where: str
    layer: str
    kind: str
    name: str
    values: Summary
    inputs: Ranges
    rows: Sequence[int] = ()
    code: tuple[str, str, int] = ("", "", 0)


MOST_ROWS = 16


class _Stop(Exception):
    """The forward pass has shown what was looked for."""


class Search:
    """Watches the passes of one iteration through a net; `run` is called for each.

    Of a gradient that several layers add to, the layer is named that adds what is not finite, the last one in the net
    where only the sum is not.
    """

    def __init__(self, net: TorchNet) -> None:
        self.net = net
        self.order = {layer: number for number, layer in enumerate(net.built.layers)}
        self.data: dict[Blob, Summary] = {}
        self.diffs: dict[Blob, Summary] = {}
        self.apart: set[Blob | Parameter] = set()
        """To the gradient of which one layer has added what is not finite."""
        self.found: Culprit | None = None
        self.found_at = -1

    def run(self, inputs: Mapping[str, Tensor]) -> Culprit | None:
        """The first culprit of one forward and backward pass, which adds to the parameters' gradients."""
        net = self.net
        net.on_top, net.on_gradient = self._on_top, self._on_gradient
        net.on_bottom, net.on_param = self._on_bottom, self._on_param
        try:
            net.forward(inputs)
            net.backward()
        except _Stop:
            return self.found
        finally:
            net.on_top = net.on_gradient = net.on_bottom = net.on_param = None
        for param in net.params:
            if param.data.grad is not None:
                self._see_gradient_of(param)
        return self.found

    def run_forward(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The outputs of a forward pass alone; where it breaks there are none, and `found` says why."""
        self.net.on_top = self._on_top
        try:
            return self.net.forward(inputs)
        except _Stop:
            return {}
        finally:
            self.net.on_top = None

    def _on_top(self, layer: BuiltLayer, top: int, data: Tensor) -> None:
        blob = layer.tops[top]
        values = self.data[blob] = summary(data)
        if values.bad:
            read = self._bottoms(layer)
            self.found = Culprit(FORWARD, layer.name, BLOB, blob.name, values, read, _rows(data), _code(layer, False))
            raise _Stop

    def _on_gradient(self, layer: BuiltLayer, top: int, gradient: Tensor) -> None:
        blob = layer.tops[top]
        values = self.diffs[blob] = summary(gradient)
        if values.bad and blob not in self.apart:
            writer = max(_readers(blob), key=self.order.__getitem__, default=layer)
            self._blame(writer, BLOB, blob.name, values, gradient)

    def _on_bottom(self, layer: BuiltLayer, bottom: int, gradient: Tensor) -> None:
        blob = layer.bottoms[bottom].original
        values = summary(gradient)
        if values.bad:
            self.apart.add(blob)
            self._blame(layer, BLOB, blob.name, values, gradient)

    def _on_param(self, layer: BuiltLayer, param: Parameter, gradient: Tensor) -> None:
        values = summary(gradient)
        if values.bad:
            self.apart.add(param)
            self._blame(layer, PARAM, str(param.index), values, sooner=True)

    def _see_gradient_of(self, param: Parameter) -> None:
        gradient = param.data.grad
        assert gradient is not None
        values = summary(gradient)
        if values.bad and param not in self.apart:
            # Caffe computes the gradient of a layer's parameters before that of its bottoms.
            writer = max(param.users, key=self.order.__getitem__)
            self._blame(writer, PARAM, str(param.index), values, sooner=True)

    def _blame(
        self,
        layer: BuiltLayer,
        kind: str,
        name: str,
        values: Summary,
        gradient: Tensor | None = None,
        sooner: bool = False,
    ) -> None:
        at = self.order[layer]
        if at > self.found_at or sooner and at == self.found_at:
            diffs = {f"{blob.name} diff": self.diffs[blob].range for blob in layer.tops if blob in self.diffs}
            rows = [] if gradient is None else _rows(gradient)
            read = {**self._bottoms(layer), **diffs}
            self.found = Culprit(BACKWARD, layer.name, kind, name, values, read, rows, _code(layer, True))
            self.found_at = at

    def _bottoms(self, layer: BuiltLayer) -> Ranges:
        blobs = [bottom.original for bottom in layer.bottoms]
        return {blob.name: self.data[blob].range for blob in blobs if blob in self.data}


def _rows(values: Tensor) -> list[int]:
    """The first rows that hold a value that is not finite."""
    if not values.dim():
        return []
    bad = ~torch.isfinite(values.detach().reshape(len(values), -1)).all(dim=1)
    rows: list[int] = bad.nonzero().reshape(-1)[:MOST_ROWS].tolist()
    return rows


def _code(layer: BuiltLayer, backward: bool) -> tuple[str, str, int]:
    return layer.numpy_says(backward) if isinstance(layer, BuiltPython) else ("", "", 0)


def _readers(blob: Blob) -> list[BuiltLayer]:
    """The layers that send a gradient to a blob; instead of its split, those after that."""
    found: list[BuiltLayer] = []
    for layer, bottom in blob.consumers:
        if layer.message is None:
            found += [reader for top in layer.tops for reader in _readers(top)]
        elif layer.need_backward and layer.propagate_down[bottom]:
            found.append(layer)
    return found


def bad_parameter(params: Sequence[Parameter], where: str, updates: Mapping[int, Tensor]) -> Culprit | None:
    """The first parameter of which a value is not finite; updates: what was taken off it last, by its number."""
    for number, param in enumerate(params):
        values = summary(param.data)
        if values.bad:
            took = {"update": summary(updates[number]).range} if where == UPDATE and number in updates else {}
            return Culprit(where, param.layer.name, PARAM, str(param.index), values, took)
    return None
