"""How far one step moves the scores that losses read, against what they ask for."""

from __future__ import annotations

import math
from typing import Any

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.shapes import count
from caffelint.caffe.values import UNKNOWN
from caffelint.numerics.start import Start, is_rescaled
from caffelint.numerics.updates import clipping, edge, step_of

FORGETS = ("RMSProp", "AdaDelta")
"""Solvers whose history lasts some ten iterations only: their steps do not shrink with the gradients, so scores go on
swinging around their targets."""
_SWING = 0.6
"""The largest swing with which nets learn, in the middle of those that were measured on Caffe."""


def heat_of_swing(start: Start, solver: Any, rate: float) -> float:
    """The heat that is to swings what that of updates is to these.

    A swing is what one step adds to the scores (root mean square), along their gradients, as times of what the targets
    of distances spread by, else of 1. Only layers of the head count whose weights have a size that matters.
    """
    pulls = elements = 0.0
    asked = math.inf
    for layer in start.losses:
        shape, gradient = layer.bottoms[0].shape, start.gradients.get(layer.bottoms[0])
        if shape and gradient:
            pulls += gradient.mean_square * count(shape)
            elements += count(shape)
            targets = start.signals.get(layer.bottoms[1]) if layer.is_distance and layer.bottoms[1:] else None
            asked = min(asked, math.sqrt(targets.variance) if targets else 1.0)
    if not pulls or not 0 < asked < math.inf:
        return 0.0
    factor, counted, moved = clipping(start, solver), head(start), 0.0
    for param, size in start.learned.items():
        if param.lr_mult and param.layer in counted and not is_rescaled(param.layer):
            moved += step_of(solver, size * factor, rate * param.lr_mult) * size * count(param.shape)
    return moved / math.sqrt(pulls * elements) / asked / _SWING * edge(solver)


def head(start: Start) -> set[BuiltLayer]:
    """The layers between losses and the nearest ones whose values have bounds, as those of gates, or that have no
    bottoms. Steps of layers before these, however large, only drive them to their bounds."""
    pending = [layer.bottoms[0] for layer in start.losses]
    found: set[BuiltLayer] = set()
    while pending:
        layer = pending.pop().producer
        if layer is not None and layer not in found and not has_bounds(layer):
            found.add(layer)
            pending += layer.bottoms
    return found


def is_bounded(start: Start) -> bool:
    """Do scores depend on the data only through values that have bounds, none of which is normalised first? No distance
    counts, whose targets may be far away."""
    found = head(start)
    if any(is_rescaled(param.layer) for param in start.learned):
        return False
    return bool(found) and all(layer.bottoms for layer in found) and not any(one.is_distance for one in start.losses)


def has_bounds(layer: BuiltLayer) -> bool:
    if layer.is_recurrent:
        return True
    made = layer.values([UNKNOWN] * len(layer.bottoms)) if layer.is_activation else ()
    return bool(made) and all(math.isfinite(one.low) and math.isfinite(one.high) for one in made)
