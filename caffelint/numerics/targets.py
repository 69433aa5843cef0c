"""A net that has learned what distances ask of it: weights that make its scores as large as their targets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.shapes import count
from caffelint.numerics.forward import FILLED, weights_of
from caffelint.numerics.start import Change, Start, is_rescaled, start, steepness
from caffelint.numerics.weights import Weights

_ROUNDS = 4
_CLOSE = 1.2
_MOST = 1e6
"""Times the weights: what bounds the scores keeps them from ever reaching such targets."""


def largest_rate(built: BuiltNet, solver: Any, change: Change) -> float:
    """From which rate on gradient descent leaves distances; inf where there are none, or the solver changes what the
    gradients come to.

    Momentum bears 1 + itself times the rate without. Weights that only have to turn for their targets make a distance
    steeper than they are as they begin, and less steep than all of them grown would: it is taken to be halfway.
    """
    if solver.type not in ("", "SGD", "Nesterov") or solver.clip_gradients > 0:
        return math.inf
    begin = start(built, change)
    if not any(layer.is_distance for layer in begin.losses):
        return math.inf
    steep = steepness(built, *at_targets(built, change))
    if _missing(begin) < _turned(built):
        steep = math.sqrt(steep * steepness(built, begin, change))
    return 2 * (1 + solver.momentum) / steep if steep else math.inf


def at_targets(built: BuiltNet, change: Change) -> tuple[Start, Change]:
    """The net with weights that make the scores spread as much as the targets, where these are known and spread more;
    and with what change: weights that are small have grown first, and then all by one factor.

    Gradient descent keeps the squared sizes of successive layers apart by what they were (S. Du et al., Algorithmic
    regularization in learning deep homogeneous models, 2018), so those that grow a lot end up in proportion. What
    the targets have in common is for the bias to make up.
    """
    begin = start(built, change)
    if _missing(begin) <= _CLOSE:
        return begin, change
    begin = start(built, change, grow=True)
    grown: dict[BuiltLayer, Weights] = {}
    for layer in _growing(built):
        own = weights_of(layer, begin.drawn.get(layer, FILLED))
        if own and own[0].size:
            grown[layer] = own[0]
    factor = 1.0
    for _ in range(_ROUNDS):
        missing = _missing(begin)
        if 1 / _CLOSE <= missing <= _CLOSE or not grown or not 0 < missing * factor < _MOST:
            break
        factor *= missing ** (1 / len(grown))
        larger = {layer: one.times(factor) for layer, one in grown.items()}
        change = change._replace(weights={**change.weights, **larger})
        begin = start(built, change)
    return begin, change


def _growing(built: BuiltNet) -> Iterator[BuiltLayer]:
    """The layers whose weights change, and whose size counts."""
    for layer in built.layers:
        learns = layer.has_weights and layer.params and layer.params[0].lr_mult and layer.params[0].owner is None
        if learns and not is_rescaled(layer) and hasattr(layer.parameters, "weight_filler"):
            yield layer


def _turned(built: BuiltNet) -> float:
    """How many times larger scores become where drawn weights turn towards their inputs, all as large as they were.

    The largest singular value of independent weights is 1 + sqrt(inputs / outputs) times what they make of an input on
    average (V. Marchenko and L. Pastur, 1967).
    """
    shapes = [layer.param_shapes[0] for layer in _growing(built) if layer.param_shapes]
    return math.prod(1 + math.sqrt(count(shape, 1) / shape[0]) for shape in shapes if shape and shape[0])


def _missing(begin: Start) -> float:
    """How many times larger the spread of targets is than the scores that are to meet it; 0 where nobody knows."""
    found = 0.0
    for layer in begin.losses:
        if layer.is_distance:
            scores, targets = (begin.signals.get(blob) for blob in layer.bottoms[:2])
            if scores and targets and scores.size:
                found = max(found, math.sqrt(targets.variance) / scores.size)
    return found
