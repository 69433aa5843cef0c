"""What a run may have broken of in the losses: a sum where a mean is usual, the kind, the H of an InfogainLoss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from caffelint.caffe.layers import BuiltLayer
from caffelint.schema.enums import enum_name
from caffelint.smoke.diagnosis.change import of_layer
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.events import BLOB, DATA, Statistics
from caffelint.smoke.infogain import matrix
from caffelint.smoke.learning import size
from caffelint.smoke.loss import Each, each_of, held_back, is_penalty, summed_labels
from caffelint.smoke.run import Run
from caffelint.smoke.trunk import GENTLE, trunk

_PROVED = 10.0
"""The score of what breaks any run."""
_MULTIPLIES = 10.0
_UNLIKE = 1000.0
"""Times what the others have: no weight of the loss suits such a row and the others."""
_ROUNDED = 1e-4
_WIDE = 10.0
"""Times the usual margin of 1, and the distances that there are at first."""
_ADDS, _ADDED = 1.0, 0.6
"""Every value of an item adds to the gradient, as rates are made for: the score, and the most that it may be."""
_LESS = (0.1, 0.003)
"""Times a loss_weight, to see whether it is what keeps another loss from falling, where the two are not far apart."""
_NEAR = 1.05
"""Times a loss, which batches differ by."""
_SUM, _MEAN = 1, 4
"""As caffe.proto numbers the operations of a Reduction."""


def losses(run: Run) -> Iterator[Hypothesis]:
    """A loss that adds up what it could take the mean of, and one that takes scores for probabilities."""
    for layer in run.loss_layers:
        labels = summed_labels(layer)
        if labels is not None and labels >= _MULTIPLIES:
            changes = of_layer(run, layer, "loss_param", "normalization", value="VALID")
            place = run.place(layer.name, 0, "loss_param")
            yield Hypothesis("loss", place, math.log10(labels), changes, "normalization", (layer,), labels)
        yield from _not_averaged(run, layer)
        yield from _summed(run, layer)
        yield from _margin(run, layer)
        values = [event.losses.get(layer.tops[0].name, 0.0) for event in run.iterations]
        if layer.type == "Reduction" and min(values, default=0.0) < 0 and not layer.never_negative:
            if layer.message.reduction_param.operation in (_SUM, _MEAN):
                bounded = [
                    of_layer(run, layer, "reduction_param", "operation", value=operation)
                    for operation in ("ASUM", "SUMSQ")
                ]
                changes = tuple(change for each in bounded for change in each)
                place = run.place(layer.name, 0, "reduction_param", "operation")
                yield Hypothesis("loss", place, _PROVED, changes, "unbounded", (layer,), min(values), proved=True)
        if layer.type == "MultinomialLogisticLoss":
            found = read_at_first(run, layer, 0)
            if found is not None and (found.min < 0 or found.max > 1 + _ROUNDED):
                changes = of_layer(run, layer, "type", value='"SoftmaxWithLoss"')
                place = run.place(layer.name, 0, "type")
                yield Hypothesis("loss", place, 5.0, changes, "type", (layer,), found.min, found.max)


def _not_averaged(run: Run, layer: BuiltLayer) -> Iterator[Hypothesis]:
    """A loss other than that of classes that is told to divide by nothing. field: `unaveraged`. value: of items."""
    shape = layer.bottoms[0].shape if layer.bottoms else None
    if summed_labels(layer) is not None or not shape or shape[0] < _MULTIPLIES or not layer.is_loss:
        return
    param = layer.message.loss_param if layer.message is not None and layer.message.HasField("loss_param") else None
    if param is not None and param.HasField("normalization") and enum_name(param, "normalization") == "NONE":
        changes = of_layer(run, layer, "loss_param", "normalization", value="BATCH_SIZE")
        place = run.place(layer.name, 0, "loss_param", "normalization")
        yield Hypothesis("loss", place, math.log10(shape[0]), changes, "unaveraged", (layer,), shape[0])


def _summed(run: Run, layer: BuiltLayer) -> Iterator[Hypothesis]:
    """A loss that divides by the items of a batch alone. field: `summed`. value: how many values an item has."""
    shape = layer.bottoms[0].shape if layer.bottoms else None
    values = math.prod(shape[1:]) if shape else 0
    if not layer.sums_values() or values < _MULTIPLIES or layer.loss_weights[0] != 1:
        return
    changes = of_layer(run, layer, "loss_weight", 0, value=float(f"{1 / values:.1g}"))
    score = min(math.log10(values) - _ADDS, _ADDED)
    yield Hypothesis("loss", run.place(layer.name), score, changes, "summed", (layer,), values)


def _margin(run: Run, layer: BuiltLayer) -> Iterator[Hypothesis]:
    """A margin far above all distances: each pair that differs is pushed apart with the whole of it.

    field: `margin`. value: of it; figure: a distance of two features as large as those before any update.
    """
    if layer.type != "ContrastiveLoss":
        return
    margin = layer.message.contrastive_loss_param.margin
    shape, read = layer.bottoms[0].shape, [read_at_first(run, layer, bottom) for bottom in (0, 1)]
    sizes = [size(one) for one in read if one is not None]
    if not shape or not sizes:
        return
    apart = math.hypot(*sizes) * math.sqrt(math.prod(shape[1:]))
    if margin > _WIDE * max(1.0, apart):
        better = max(1.0, float(f"{apart:.1g}"))
        changes = of_layer(run, layer, layer.block, "margin", value=better)
        place, score = run.place(layer.name, 0, layer.block, "margin"), math.log10(margin)
        yield Hypothesis("loss", place, score, changes, "margin", (layer,), margin, apart)


def infogain(run: Run) -> Iterator[Hypothesis]:
    """A matrix of an InfogainLoss that is not finite, or multiplies the gradient of a class."""
    for layer in run.loss_layers:
        found = matrix(layer)
        if found is None:
            continue
        place = run.place(layer.name, 0, "infogain_loss_param", "source")
        plain = of_layer(run, layer, "type", value='"SoftmaxWithLoss"')
        if found.broken is not None:
            row, column = found.broken
            value = found.rows[row][column]
            yield Hypothesis("loss", place, _PROVED, plain, "H", (layer,), value, row, proved=True)
            continue
        row, total = found.heaviest
        if total > 0 and all(_equal(one, found.rows[0]) for one in found.rows):
            yield Hypothesis("loss", place, _PROVED, plain, "H", (layer,), total, -1, proved=True)
        elif total == 0:
            yield Hypothesis("loss", place, _PROVED, plain, "H", (layer,), 0.0, row, proved=True)
        elif total > _MULTIPLIES:
            weight = float(f"{layer.loss_weights[0] / total:.1g}")
            changes = plain
            if total < _UNLIKE * found.usual:
                changes = (*of_layer(run, layer, "loss_weight", 0, value=weight), *plain)
            yield Hypothesis("loss", place, math.log10(total) + 0.5, changes, "H", (layer,), total, row)


def _equal(first: Sequence[float], second: Sequence[float]) -> bool:
    return all(math.isclose(*pair, rel_tol=_ROUNDED) for pair in zip(first, second, strict=True))


def read_at_first(run: Run, layer: BuiltLayer, bottom: int) -> Statistics | None:
    """What a layer read before any update."""
    blob = layer.bottoms[bottom].original
    while blob.producer is not None and blob.producer.index is None:
        blob = blob.producer.bottoms[0]
    return run.statistics(-1, blob.producer.name, BLOB, blob.name, DATA) if blob.producer is not None else None


_OUTWEIGHS = 3.0
"""Times as long as that of the loss that learns, from which a gradient at layers that both train drowns it."""
_LESS_FAR = 0.25
"""Of what a loss fell, which a change may cost it."""


def _still(one: Each) -> float:
    """The most that a loss may end at which still falls nearly as far as it did, or ends near a constant answer."""
    near = _NEAR * max(one.last, one.last / one.left if one.left > 0 else 0.0)
    return max(near, one.last + _LESS_FAR * (one.first - one.last) if one.first > one.last else 0.0)


def holding(run: Run) -> Iterator[Hypothesis]:
    """Of several losses one that may keep that of labels from falling: it may weigh less, or the other more, as where
    the rate was lowered until the larger one stood it. layers: it and the other.

    field: `holds`; value: its weight; figure: what the other stays at. Or `drowns`; value: the weight of the other;
    figure: how many times as long its own gradient is at the layers that both train.
    """
    stays = held_back(run)
    if stays is None:
        return
    others = [layer for layer in run.loss_layers if layer is not stays[0] and layer.loss_weights[0] > 0]
    each = each_of(run)
    if len(others) != 1 or not (others[0].name in each or is_penalty(others[0])):
        return
    other, place = others[0], run.place(others[0].name, 0, "loss_weight")
    first = next((event.losses for event in run.started), {})
    own, more = (one.loss_weights[0] * first.get(one.tops[0].name, 0.0) for one in (stays[0], other))
    times = [(own / more) ** GENTLE, own / more] if 0 < own < _LESS[0] * more else _LESS
    weights = [float(f"{other.loss_weights[0] * one:.1g}") for one in times]
    changes = tuple(one for weight in weights for one in of_layer(run, other, "loss_weight", 0, value=weight))
    layers, weight = (other, stays[0]), other.loss_weights[0]
    beside = math.inf if is_penalty(other) else _still(each[other.name])
    found = trunk(run)
    pulls = {layer.name: pull for pull, layer in found.pulls} if found is not None else {}
    ratio = pulls[other.name] / pulls[stays[0].name] if {other.name, stays[0].name} <= pulls.keys() else math.nan
    if ratio < _OUTWEIGHS:
        return  # of two that pull alike, one that falls later may only take longer
    # Without a trunk of both there is no telling, and only a trial does.
    yield Hypothesis("loss-weight", place, STRONG, changes, "holds", layers, weight, stays[1], beside=beside)
    if math.isnan(ratio):
        return
    weight = stays[0].loss_weights[0]
    if ratio > 1 / _LESS[0]:
        heavier = [float(f"{weight * one:.1g}") for one in (ratio**GENTLE, ratio)]
        changes = tuple(one for value in heavier for one in of_layer(run, stays[0], "loss_weight", 0, value=value))
        place = run.place(stays[0].name, 0, "loss_weight")
        yield Hypothesis("loss-weight", place, STRONG, changes, "drowns", layers, weight, ratio, beside=beside)
