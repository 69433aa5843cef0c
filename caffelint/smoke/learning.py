"""Which weights of a run could learn, and whether they did."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.values import exactly
from caffelint.lint.built import UNKNOWN
from caffelint.smoke.events import BLOB, CHANGE, DATA, DIFF, PARAM, Statistics
from caffelint.smoke.run import Run

_DECAY_ALONE = 1.01
_FULL = 0.9
"""Of the way from the middle to the limits."""


class Weights(NamedTuple):
    """The weights of a layer that learns: their values before the first update, their gradient, their updates.

    first, last: the updates of iteration 0 and of the last iteration measured. None where nothing was measured.
    """

    layer: BuiltLayer
    data: Statistics | None
    gradient: Statistics | None
    first: Statistics | None
    last: Statistics | None


def weights(run: Run) -> Iterator[Weights]:
    """The first parameter of each layer of the TRAIN net that learns."""
    measured = run.measured
    if not measured:
        return
    for layer in run.built[0].layers:
        if layer.keeps_statistics or not layer.need_backward or not _learns(layer):
            continue
        yield Weights(
            layer,
            run.statistics(-1, layer.name, PARAM, 0, DATA),
            run.statistics(-1, layer.name, PARAM, 0, DIFF),
            run.statistics(0, layer.name, PARAM, 0, CHANGE),
            run.statistics(measured[-1], layer.name, PARAM, 0, CHANGE) if measured[-1] > 0 else None,
        )


def _learns(layer: BuiltLayer) -> bool:
    """Has it a first parameter of its own that the solver changes? After a Python layer, no shape of any is known."""
    if layer.params is None and layer.has_weights and layer.message is not None:
        given = layer.message.param[:1]
        return all(one.lr_mult and not one.name for one in given)
    return any(one.owner is None and bool(one.lr_mult) for one in (layer.params or ())[:1])


def size(values: Statistics) -> float:
    """Root mean square."""
    return math.hypot(values.mean, values.std)


def is_zero(values: Statistics | None) -> bool:
    """Is every value 0? The share of zeros may come from a sample, the extremes do not."""
    return values is not None and values.min == 0 == values.max


def limits(layer: BuiltLayer) -> tuple[float, float] | None:
    """The values at which an activation that is bounded on both sides saturates; None for any other layer."""
    if not layer.is_activation or not layer.tops or layer.message is None:
        return None
    low, high, *_ = layer.values([UNKNOWN] * len(layer.bottoms))[0]
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def squashing(run: Run) -> list[BuiltLayer]:
    """Activations that are bounded on both sides, and so have next to no slope far from 0."""
    return [layer for layer in run.built[0].layers if layer.need_backward and not layer.rectifies and limits(layer)]


def saturates(run: Run) -> bool:
    """Is an activation that is bounded on both sides at its limits nearly everywhere before any update?"""
    return any(saturated(run, layer) for layer in squashing(run))


def saturated(run: Run, layer: BuiltLayer) -> bool:
    """Is such an activation at its limits nearly everywhere before any update?"""
    low, high = limits(layer) or (0.0, 0.0)
    found = run.statistics(-1, layer.name, BLOB, layer.tops[0].name, DATA)
    return found is not None and math.hypot(found.mean - (low + high) / 2, found.std) > _FULL * (high - low) / 2


def weightless(run: Run, layer: BuiltLayer) -> bool:
    """Are the weights of the layer all 0 at the start?"""
    return bool(layer.params) and is_zero(run.statistics(-1, layer.name, PARAM, 0, DATA))


def without_weights(run: Run, layer: BuiltLayer) -> BuiltLayer | None:
    """The layer itself, the one that it reads, or the nearest above these through which nothing but 0 comes, if its
    weights are all 0 at the start."""
    before = layer.bottoms[0].producer if layer.bottoms else None
    one: BuiltLayer | None = layer
    while one is not None and not weightless(run, one):
        blob = one.bottoms[0] if one.bottoms else None
        zeros = blob is not None and is_zero(_of_blob(run, -1, blob, DATA))
        one = blob.original.producer if blob is not None and (zeros or blob.original.producer is before) else None
    return one


def only_decays(run: Run, values: Weights) -> bool:
    """Is the last update no more than what weight decay subtracts, or nothing at all?"""
    if values.last is None or is_zero(values.last):
        return values.last is not None
    if values.data is None:
        return False
    message = run.solver.message
    rate = abs(run.iterations[-1].rate) if run.iterations else 0.0
    momentum = message.momentum if 0 <= message.momentum < 1 else 0.0
    param = values.layer.params[0] if values.layer.params else None
    times = abs(param.lr_mult * param.decay_mult) if param is not None else 1.0
    decay = rate * times * message.weight_decay * size(values.data) / (1 - momentum)
    return size(values.last) <= _DECAY_ALONE * decay


def gradient_ended(run: Run, layer: BuiltLayer) -> bool:
    """Was the gradient of the layer's weights exactly 0 in the last iteration that was measured?

    If an engine does not say, it is 0 where the gradient of the layer's top is 0, or all of the layer's input.
    """
    last = run.measured[-1]
    own = run.statistics(last, layer.name, PARAM, 0, DIFF)
    if own is not None:
        return is_zero(own)
    return is_zero(_of_blob(run, last, layer.tops[0], DIFF)) or (
        bool(layer.bottoms) and is_zero(_of_blob(run, last, layer.bottoms[0], DATA))
    )


def _of_blob(run: Run, iteration: int, blob: Blob, part: str) -> Statistics | None:
    """Statistics of the blob's last version, whichever layer wrote it, or of the blob that it is a copy of."""
    blob = blob.original
    for layer in reversed(run.built[0].layers):
        if any(top.name == blob.name for top in layer.tops):
            found = run.statistics(iteration, layer.name, BLOB, blob.name, part)
            if found is not None:
                return found
    return None


def gradient_ends(run: Run) -> BuiltLayer | None:
    """The layer nearest to the loss that gets a gradient and passes none on, in the pass at rate 0."""
    for layer in reversed(run.built[0].layers):
        if layer.index is None or not layer.need_backward or layer.runs_in_place or not layer.tops:
            continue
        passes = [blob for blob, down in zip(layer.bottoms, layer.propagate_down, strict=False) if down]
        gets = layer.is_loss or any(_alive(run, top) for top in layer.tops)
        if gets and passes and all(is_zero(_of_blob(run, -1, blob, DIFF)) for blob in passes):
            return layer
    return None


def _alive(run: Run, blob: Blob) -> bool:
    found = _of_blob(run, -1, blob, DIFF)
    return found is not None and not is_zero(found)


_MANY = 64
_RARE = 100
"""The factor by which a Dropout scales what it keeps, beyond which it may drop all of a small blob."""


def dead_layers(run: Run) -> list[BuiltLayer]:
    """Those whose output is all 0 at the end, although a gradient is wanted through them."""
    return [layer for layer in run.built[0].layers if len(run.measured) > 1 and _is_dead(run, layer)]


def made_zeros(layer: BuiltLayer) -> BuiltLayer:
    """Which layer made the zeros in the output of a dead one: a Dropout that works in place and keeps a share of its
    input has only handed them on, but the statistics of the blob bear its name."""
    maker = layer.bottoms[0].producer if layer.runs_in_place and layer.draws_at_random else None
    return layer if maker is None or layer.values([exactly(1)])[0].high > _RARE else made_zeros(maker)


def blank_inputs(run: Run, layer: BuiltLayer) -> list[BuiltLayer]:
    """The layers that bring all that it depends on, where each of them brings nothing but 0."""
    inputs = [one for one in layer.bottoms[0].depends_on if not one.bottoms] if layer.bottoms else []
    blank = all(
        is_zero(run.statistics(at, one.name, BLOB, one.tops[0].name, DATA)) for one in inputs for at in run.measured
    )
    return inputs if blank else []


def died(run: Run, layer: BuiltLayer) -> bool:
    """Was the output of a dead layer not 0 at the start?"""
    return not is_zero(run.statistics(run.measured[0], layer.name, BLOB, layer.tops[0].name, DATA))


def _is_dead(run: Run, layer: BuiltLayer) -> bool:
    """A few values may all be 0 by chance, so they have to be 0 the time before, too."""
    if not layer.bottoms or layer.is_loss or not layer.need_backward or not layer.tops:
        return False
    if any(layer.loss_weights):
        return False  # a loss of a Python layer, or of any layer, that has fallen to 0
    shape = layer.tops[0].shape
    times = 1 if shape and math.prod(shape) >= _MANY else 2
    found = [run.statistics(at, layer.name, BLOB, layer.tops[0].name, DATA) for at in run.measured[-times:]]
    return all(map(is_zero, found))


def first_ratios(run: Run) -> dict[str, float]:
    """Root mean square of the first update over that of the weights before it, by layer; weights of 0 are left out.

    So are those that only a normalising layer reads: their scale makes no difference, and a large update corrects it.
    """
    return {
        one.layer.name: size(one.first) / size(one.data)
        for one in weights(run)
        if one.data is not None
        and one.first is not None
        and size(one.data) > 0
        and not is_zero(one.first)
        and not _normalised(one.layer.tops[0])
    }


def _normalised(blob: Blob) -> bool:
    """Do only normalising layers read it, whose output is the same for twice the weights?"""
    readers = [layer for layer, _ in blob.consumers]
    return bool(readers) and all(
        layer.normalises or (layer.type == "Split" and layer.index is None and all(map(_normalised, layer.tops)))
        for layer in readers
    )


def largest_ratios(run: Run) -> dict[str, float]:
    """The same for the largest update that was measured, scaled to the highest rate of the schedule."""
    used = {event.iteration: abs(event.rate) for event in run.iterations}
    highest = max([run.highest_rate, *used.values()], default=0.0)
    found: dict[str, float] = {}
    for one in weights(run):
        if one.data is None or not size(one.data) > 0:
            continue
        name = one.layer.name
        for at in run.measured:
            update = run.statistics(at, name, PARAM, 0, CHANGE)
            if update is not None and used.get(at):
                ratio = size(update) / size(one.data) * highest / used[at]
                found[name] = max(found.get(name, 0.0), ratio)
    return found


def cut_off(run: Run) -> tuple[list[BuiltLayer], BuiltLayer] | None:
    """Layers that could learn and get no gradient although a loss depends on them, and the layer that stops it.

    None if there are none, if nothing else learns, or if weights were loaded: then that is often on purpose.
    """
    layers = run.built[0].layers
    if run.loaded or not any(layer.need_backward and layer.learns and layer.params for layer in layers):
        return None
    for stop in layers:
        if not stop.need_backward or stop.index is None:
            continue
        for bottom, down in enumerate(stop.message.propagate_down):
            if down or bottom >= len(stop.bottoms):
                continue
            before = stop.bottoms[bottom].depends_on
            idle = [one for one in before if one.learns and one.params and not one.need_backward]
            if idle:
                return idle[::-1], stop
    return None


class Unmoved(NamedTuple):
    """Scores of a loss that are the same for every item of a batch.

    ends: the layer from which on they are. reads: what reads it, or itself.
    """

    loss: BuiltLayer
    ends: BuiltLayer
    reads: BuiltLayer


def same_scores(run: Run) -> Unmoved | None:
    """Of a loss at the start and at the end, although there are several items."""
    if len(run.measured) < 2 or any(layer.is_recurrent for layer in run.built[0].layers):
        return None  # the first axis of a sequence is time
    for loss in run.loss_layers:
        if not loss.bottoms or not loss.bottoms[0].need_backward or not _same(run, loss.bottoms[0]):
            continue
        layer = reads = loss
        blobs = loss.bottoms[:1]
        while blobs and all(_same(run, blob) for blob in blobs) and (maker := blobs[0].maker) is not None:
            layer, reads, blobs = maker, layer, maker.bottoms
        return Unmoved(loss, layer, reads)
    return None


def _same(run: Run, blob: Blob) -> bool:
    found = [_of_blob(run, at, blob, DATA) for at in (run.measured[0], *run.measured[-2:])]
    return all(one is not None and one.same for one in found)
