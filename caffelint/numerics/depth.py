"""Values and gradients that fade or grow on their way through the layers, until no rate suits all of them."""

from __future__ import annotations

import math
from typing import Any

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.shapes import count
from caffelint.numerics.signal import SAMPLE, Signal
from caffelint.numerics.start import Start, is_rescaled
from caffelint.text.records import NamedTuple

VALUES, GRADIENTS = "values", "gradients"
_APART = 1e5
"""Of the projects with plain descent whose figures were calm otherwise, none learned beyond that."""
_LOSSES_ALIKE = 100.0


class Depth(NamedTuple):
    """what: values or gradients. first, layer: between which tops they change so much, in the order in which they pass.

    before, after: of values how far samples are apart, of gradients the norm.
    """

    what: str
    first: BuiltLayer
    layer: BuiltLayer
    before: float
    after: float

    @property
    def fades(self) -> bool:
        return self.after < self.before


def depth(built: BuiltNet, begin: Start, solver: Any) -> Depth | None:
    """Where values or gradients are lost, or blown up, for plain descent: other solvers make up for small gradients."""
    if solver.type not in ("", "SGD", "Nesterov"):
        return None
    weights = [abs(layer.loss_weights[0]) for layer in begin.losses]
    if not weights or max(weights) > _LOSSES_ALIKE * min(weights):
        return None
    learning = [
        layer
        for layer in built.layers
        if layer.has_weights and layer.params and layer.params[0].lr_mult and not is_rescaled(layer)
    ]
    return _values(built, begin, learning) or _gradients(begin, learning)


def _values(built: BuiltNet, begin: Start, learning: list[BuiltLayer]) -> Depth | None:
    data = [(layer, begin.signals.get(layer.tops[0])) for layer in built.layers if not layer.bottoms and layer.tops]
    known = [(layer, _spread(one)) for layer, one in data if one is not None]
    if not known:
        return None
    source, before = max(known, key=lambda one: one[1])
    pull = _pull(begin)
    for layer in learning:
        one = begin.signals.get(layer.tops[0])
        if one is not None and 0 < _spread(one) * _APART * pull < before:
            return Depth(VALUES, source, layer, before, _spread(one))
    return None


def _pull(begin: Start) -> float:
    """How much harder targets that are far apart pull than labels do."""
    targets = [begin.signals.get(layer.bottoms[1]) for layer in begin.losses if layer.is_distance and layer.bottoms[1:]]
    return max([1.0, *(math.sqrt(one.variance) for one in targets if one is not None)])


def _gradients(begin: Start, learning: list[BuiltLayer]) -> Depth | None:
    norms = []
    for layer in reversed(learning):
        one, shape = begin.gradients.get(layer.tops[0]), layer.tops[0].shape
        if one is not None and shape and 0 < one.size < math.inf:
            norms.append((layer, one.size * math.sqrt(count(shape))))
    if not norms:
        return None
    least, most = min(norms, key=lambda one: one[1]), max(norms, key=lambda one: one[1])
    if least[1] * _APART >= most[1]:
        return None
    fades = norms.index(most) < norms.index(least)
    first, last = (most, least) if fades else (least, most)
    return Depth(GRADIENTS, first[0], last[0], first[1], last[1])


def _spread(one: Signal) -> float:
    """How far the values of two samples are apart."""
    return math.sqrt(max(one.mean_square - one.kernels[SAMPLE], 0.0))
