"""Data that goes away from where it began while a net trains."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.smoke.events import Statistics
from caffelint.smoke.run import Run

_LEAST = 6
"""Measures: by chance these are in order once in 360."""
_BACK = 0.05
"""Of the whole way, what batches may go back, as they differ."""
_MOVES, _GROWS = 5.0, 3.0
"""First deviations that the mean moves; times that the deviation grows or shrinks. Records that come in an order move
less: the values within each are nearly as far apart as those of all."""


class Drift(NamedTuple):
    """layer: that brings the data. first, last: of one of its tops."""

    layer: BuiltLayer
    first: Statistics
    last: Statistics


def drift(run: Run) -> Drift | None:
    """Of what a Python layer brings to weights, a mean or a deviation that goes one way from each measure to the next,
    and far. Numbers of records and times do so, too, but nothing learns from them.
    """
    for layer in (layer for net in run.built[:1] for layer in net.layers):
        for top in layer.tops if layer.type == "Python" and not layer.bottoms else ():
            of_top = (one for one in run.values_of(top.name) if one.layer == layer.name)
            seen = list({one.iteration: one for one in of_top}.values())
            if _goes_away(seen) and _is_weighed(top):
                return Drift(layer, seen[0], seen[-1])
    return None


def _is_weighed(blob: Blob) -> bool:
    """Does a layer with weights read it, as it is or as layers without weights make it?"""
    seen: set[BuiltLayer] = set()
    stack = [layer for layer, _ in blob.readers]
    while stack:
        layer = stack.pop()
        if layer.has_weights:
            return True
        if layer not in seen and not layer.is_loss:
            seen.add(layer)
            stack += [reader for top in layer.tops for reader, _ in top.readers]
    return False


def _goes_away(seen: Sequence[Statistics]) -> bool:
    if len(seen) < _LEAST:
        return False
    means, deviations = [one.mean for one in seen], [one.std for one in seen]
    least, most = sorted((deviations[0], deviations[-1]))
    moves = abs(means[-1] - means[0]) > _MOVES * deviations[0] > 0
    return (moves and _one_way(means)) or (most > _GROWS * least > 0 and _one_way(deviations))


def _one_way(values: Sequence[float]) -> bool:
    whole = values[-1] - values[0]
    back = sum(abs(later - earlier) for earlier, later in pairwise(values) if (later - earlier) * whole < 0)
    return back <= _BACK * abs(whole)
