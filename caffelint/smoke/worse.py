"""A net that answers worse than any answer that is always the same."""

from __future__ import annotations

import math
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.smoke.alike import Targets
from caffelint.smoke.events import Tested
from caffelint.smoke.run import Run

_SURE = math.log(1e6)
"""One to a million that what answers without a look at the records is right so seldom."""


class Below(NamedTuple):
    """accuracy: of the records that an Accuracy layer of a TEST net counted; least: what the worst of all answers gives
    that are always the same."""

    net: int
    layer: BuiltLayer
    accuracy: float
    least: float
    records: int


def below_chance(run: Run) -> Below | None:
    """Is an accuracy in TEST lower than that of an answer that is always the same, whichever label that is?

    Not with statistics of batches, as those that TEST takes are far off at first.
    """
    if run.synthetic or run.fed.made_up or any(layer.keeps_statistics for net in run.built for layer in net.layers):
        return None
    for event in run.all(Tested):
        for layer in run.built[event.net].layers if 0 <= event.net < len(run.built) else ():
            found = _below(run, event, layer)
            if found is not None:
                return found
    return None


class Seldom(NamedTuple):
    """accuracy: of what an Accuracy layer of a TEST net counted; share: of that, what the most frequent label is."""

    accuracy: float
    label: int
    share: float


def below_frequent(run: Run) -> Seldom | None:
    """Is an accuracy in TEST surely lower than that of an answer that is always the most frequent label?"""
    if run.synthetic or run.fed.made_up or any(layer.keeps_statistics for net in run.built for layer in net.layers):
        return None
    for event in run.all(Tested):
        for layer in run.built[event.net].layers if 0 <= event.net < len(run.built) else ():
            counted = _counted(run, event, layer)
            if counted is None or not counted.shares:
                continue
            most = max(counted.shares)
            if counted.accuracy < most and counted.records * _apart(counted.accuracy, most) > _SURE:
                return Seldom(counted.accuracy, counted.shares.index(most), most)
    return None


class _Counted(NamedTuple):
    """What an Accuracy layer counted. records: those that are independent."""

    accuracy: float
    shares: tuple[float, ...]
    classes: int
    records: int


def _below(run: Run, event: Tested, layer: BuiltLayer) -> Below | None:
    counted = _counted(run, event, layer)
    if counted is None:
        return None
    accuracy, shares, classes, records = counted
    # An answer that never occurs is never right.
    least = min(shares) if len(shares) == classes else 0.0
    if not accuracy < least or not records * _apart(accuracy, least) > _SURE:
        return None
    return Below(event.net, layer, accuracy, least, records)


def _counted(run: Run, event: Tested, layer: BuiltLayer) -> _Counted | None:
    if layer.type != "Accuracy" or layer.parameters.top_k > 1 or not layer.tops or len(layer.bottoms) < 2:
        return None
    scores, labels = (blob.shape for blob in layer.bottoms[:2])
    name = layer.bottoms[1].original.name
    shares = next((one.shares for one in run.all(Targets) if (one.net, one.name) == (event.net, name)), ())
    accuracy = event.outputs.get(layer.tops[0].name, math.nan)
    if not scores or not labels or not shares or not 0 <= accuracy <= 1:
        return None
    records = event.iterations * labels[0]  # those of a map are not independent
    held = [run.fed.held(event.net, one.name) for one in run.built[event.net].layers if not one.bottoms]
    records = min([records, *(one for one in held if one)])
    return _Counted(accuracy, tuple(shares), scores[layer.class_axis % len(scores)], records)


def _apart(share: float, expected: float) -> float:
    """The divergence of two shares: by Chernoff, chance gives no more than exp(-records * this)."""
    parts = ((share, expected), (1 - share, 1 - expected))
    return sum(one * math.log(one / other) for one, other in parts if one > 0 and other > 0)
