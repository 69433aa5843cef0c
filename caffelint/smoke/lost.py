"""Which layer loses what tells the targets of a net that does not learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.smoke.alike import Told
from caffelint.smoke.answers import SURE
from caffelint.smoke.followed import CHANCE
from caffelint.smoke.job import Target, Way
from caffelint.smoke.learning import weightless
from caffelint.smoke.loss import recalled, staying
from caffelint.smoke.run import Run

_MOST = 100
"""Layers: what they give is kept in memory."""
_LEFT = 0.25
"""Of what can be told beyond chance, what may be left: more may be enough to learn from."""
_TIMES = 2.0
_DROPS = 0.9
"""The ratio of a Dropout that leaves next to nothing."""


class Lost(NamedTuple):
    """layer: from whose bottom targets can surely be told, and from whose top not at all. loss: that compares with
    them. before, after: what was measured of bottom and top. read, made: these.
    """

    layer: BuiltLayer
    loss: BuiltLayer
    read: Blob
    made: Blob
    before: Told
    after: Told


def ways(built: BuiltNet, targets: Sequence[Target]) -> tuple[Way, ...]:
    """What to follow to each loss that compares with one of the targets."""
    found = []
    for target in targets:
        loss = _loss_of(built, target.name)
        maker = loss.bottoms[1].maker if loss is not None else None
        if loss is None or maker is None:
            continue
        scores = loss.bottoms[0].original
        above = {layer for layer in scores.depends_on if layer.index is not None}
        every = [layer for layer in built.layers if layer in above]
        brings = [layer for layer in every if _brings(layer)]
        places = [(layer.name, top) for layer in every for top in range(len(layer.tops))]
        last = next(((one.name, scores.top) for one in every if one is scores.producer), None)
        names = [layer.name for layer in built.layers]
        if last is None or not brings or len(places) > _MOST or any(names.count(layer.name) > 1 for layer in every):
            continue
        asked = loss.bottoms[1].original
        places = [one for one in places if one not in (last, (maker.name, asked.top))]
        steps = any(layer.is_recurrent for layer in built.layers)
        axes = 2 if steps and sum(size > 1 for size in (asked.shape or ())[:2]) > 1 else 1
        layers, tops = zip(*places, last, strict=True)
        own = tuple(layer.name for layer in brings)
        found.append(Way(target.name, target.classes, maker.name, asked.top, axes, steps, layers, tops, own))
    return tuple(found)


def wanted(run: Run, targets: Sequence[Target]) -> tuple[Way, ...]:
    """What to follow to the losses of a run that show nothing learned."""
    if run.synthetic or not run.finite:
        return ()
    return ways(run.built[0], [one for one in targets if _shows_nothing(run, one.name)])


def _shows_nothing(run: Run, target: str) -> bool:
    return staying(run, target) is not None or recalled(run, target) is not None


def lost(run: Run) -> Lost | None:
    """The one layer that loses what tells the targets, of which no part gets to the loss by any other way.

    Layers that draw their weights at random keep which records are like each other, so this is asked before training.
    """
    for name in dict.fromkeys(one.name for one in run.all(Told)):
        loss = _loss_of(run.built[0], name) if run.built else None
        if loss is not None and _shows_nothing(run, name):
            told = {(one.layer, one.top): one for one in run.all(Told) if one.name == name}
            if (found := _found(run, loss, told)) is not None:
                return found
    return None


def _found(run: Run, loss: BuiltLayer, told: dict[tuple[str, int], Told]) -> Lost | None:
    """None also where it is lost step by step, or at several layers."""

    def of(blob: Blob) -> Told | None:
        return told.get((blob.producer.name, blob.top)) if blob.producer is not None else None

    found: list[Lost] = []
    pending = [loss.bottoms[0].original]
    seen = set(pending)
    while pending:
        blob = pending.pop()
        after, maker = of(blob), blob.producer
        if after is None or maker is None or not after.beyond < CHANCE:
            return None
        reads = [(one.original, of(one.original)) for one in maker.bottoms]
        known = [(one, before) for one, before in reads if before is not None]
        best = max(known, key=lambda one: one[1].beyond, default=None)
        if best is not None and best[1].beyond > _sure(best[0]):
            learns = any(param.lr_mult for param in maker.params or ())
            if weightless(run, maker) or (maker.rectifies if after.same else learns):
                return None  # weights may come to hand it on; of zeros, other rules know more
            if maker.type == "Dropout" and maker.parameters.dropout_ratio < _DROPS:
                return None  # what it leaves out of one record, it hands on of another
            if not _gain(after) < _LEFT * _gain(best[1]):
                return None
            if _meets(maker, best[0], told) and not maker.runs_in_place:
                return None
            found.append(Lost(maker, loss, best[0], blob, best[1], after))
        for one, before in known:
            if CHANCE <= before.beyond <= _sure(one):
                return None
            if before.beyond < CHANCE and one not in seen:
                seen.add(one)
                pending.append(one)
    if len({one.made for one in found}) != 1:
        return None
    # Of two things that are compared later, neither tells the targets by itself.
    later = [blob.producer for blob in seen if blob.producer is not None and found[0].layer in blob.depends_on]
    met = any(_meets(layer, found[0].made, told) for layer in later if layer is not found[0].layer)
    return None if met else found[0]


def _meets(layer: BuiltLayer, made: Blob, told: dict[tuple[str, int], Told]) -> bool:
    """Does a layer read records by another way than by that blob?"""
    for at, bottom in enumerate(layer.bottoms):
        blob = bottom.original
        one = told.get((blob.producer.name, blob.top)) if blob.producer is not None else None
        if blob is made or made.producer in blob.depends_on or one is None or one.same:
            continue
        if not (layer.is_recurrent and at) and any(map(_brings, blob.depends_on)):
            return True
    return False


def _brings(layer: BuiltLayer) -> bool:
    """Does it bring records, not numbers that are drawn or constant?"""
    return bool(layer.is_data and layer.data_block) or (layer.type == "Python" and not layer.bottoms)


def _sure(blob: Blob) -> float:
    """How surely targets have to be told: weights that learn may come to make of the data what a layer hands on."""
    learns = any(param.lr_mult for layer in blob.depends_on for param in layer.params or ())
    return _TIMES * SURE if learns else SURE


def _gain(one: Told) -> float:
    return one.agree - one.chance


def _loss_of(built: BuiltNet, target: str) -> BuiltLayer | None:
    losses = (layer for layer in built.layers if any(layer.loss_weights) and len(layer.bottoms) > 1)
    return next((one for one in losses if one.bottoms[1].original.name == target), None)
