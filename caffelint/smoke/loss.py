"""How the loss of a run went: what chance gives, whether it rose, fell, or stays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.schema.enums import enum_name
from caffelint.smoke.alike import Targets
from caffelint.smoke.events import BLOB, DATA, Statistics, Tested
from caffelint.smoke.infogain import matrix
from caffelint.smoke.run import Run

CLAMPED = 87.3365
"""-log(FLT_MIN): what SoftmaxWithLoss gives for a probability of 0."""
TAIL = 5
"""The median of this many losses counts: a single batch proves little."""
FELL = 0.95
"""A loss that ends below this share of its start has fallen: batches differ by percents."""
CLEARLY = 0.85
"""What is left, at most, of a loss that falls clearly, whatever else is odd."""
_STAYS = 0.9
"""Of the start of one of several losses of labels, or of chance: from there on it counts, whatever the others do."""
_MOST_LABELS = 4096
_TIMES = 3.0
_NEAR_CHANCE = 1.5
_BAD_START = 3.0
_MANY = 16
_AWAY = 10.0
_LITTLE = 0.7


def losses(run: Run) -> list[float]:
    return [event.loss for event in run.iterations]


def begins(run: Run) -> float:
    """The largest loss before any update: in the pass at rate 0 or the first iteration."""
    before = [event.loss for event in run.started if math.isfinite(event.loss)]
    return max(before, key=abs, default=math.nan)


def ends(run: Run) -> float:
    """The median of the last finite losses."""
    finite = [value for value in losses(run)[1:] if math.isfinite(value)][-TAIL:]
    return median(finite) if finite else math.nan


def chance(run: Run, net: int = 0) -> float | None:
    """The loss of a net that guesses; None where the losses have no such value, or it is not known."""
    total = 0.0
    for layer in run.built[net].layers if net < len(run.built) else ():
        if not any(layer.loss_weights):
            continue
        own = _chance_of(layer)
        if own is None:
            return None
        total += layer.loss_weights[0] * own
    return total or None


def sums_more(run: Run, net: int) -> float:
    """How many times as much a loss of a TEST net adds up as in TRAIN: labels of a larger batch or of larger maps."""
    mine, theirs = chance(run), chance(run, net)
    return theirs / mine if mine and theirs else 1.0


def best_constant(run: Run, net: int = 0) -> float:
    """The loss of the best answer that does not depend on the input, for what a net was to answer; nan if not known.

    That is the entropy of the labels that were seen, or the variance of the targets; where answers of yes and no are
    not known, what 0.5 for each gives.
    """
    total = 0.0
    for layer in run.built[net].layers if net < len(run.built) else ():
        if any(layer.loss_weights):
            total += layer.loss_weights[0] * _constant_of(run, layer, net)
    return total if total > 0 else math.nan


def _constant_of(run: Run, layer: BuiltLayer, net: int = 0) -> float:
    target = layer.bottoms[1].original.name if len(layer.bottoms) > 1 else ""
    seen = next((event for event in run.all(Targets) if (event.net, event.name) == (net, target)), None)
    if seen is None and layer.type == "SigmoidCrossEntropyLoss" and not layer.message.HasField("loss_param"):
        scores = layer.bottoms[0].shape
        return math.log(2) * math.prod(scores[1:]) if scores else math.nan
    if seen is None or len(layer.bottoms) != len(layer.loss_weights) + 1:
        return math.nan
    if layer.type == "EuclideanLoss":
        return seen.variance / 2
    if layer.type == "SigmoidCrossEntropyLoss":
        return math.nan if layer.message.HasField("loss_param") else seen.binary
    if layer.type == "InfogainLoss":
        return _constant_gain(layer, seen.shares)
    labels = summed_labels(layer)
    return labels * seen.entropy if labels is not None else math.nan


def _constant_gain(layer: BuiltLayer, shares: Sequence[float]) -> float:
    """What an InfogainLoss that takes the mean gives for the probabilities that are best for all labels at once."""
    found = matrix(layer) if not layer.message.HasField("loss_param") else None
    if found is None or not 0 < len(shares) <= len(found.rows):
        return math.nan
    gains = [
        sum(share * row[at] for share, row in zip(shares, found.rows, strict=False)) for at in range(len(found.rows))
    ]
    whole = sum(gains)
    if not math.isfinite(whole) or min(gains) < 0 or not whole:
        return math.nan
    return -sum(one * math.log(one / whole) for one in gains if one)


def _chance_of(layer: BuiltLayer) -> float | None:
    count, labels = classes(layer), summed_labels(layer)
    if count is None or labels is None:
        return None
    return labels * math.log(count) if count > 1 else 0.0


def bad_start(run: Run) -> tuple[float, float] | None:
    """The loss before any update and that of chance, where it is far above."""
    first, near = begins(run), chance(run)
    return (first, near) if near is not None and first > _BAD_START * near > 0 else None


def classes(layer: BuiltLayer) -> int | None:
    """How many classes a loss has; None where it has none, or the shape of its scores is not known."""
    if not layer.is_loss or len(layer.bottoms) < 2 or not layer.reads_classes(1):
        return None
    scores, axis = layer.bottoms[0].shape, layer.class_axis
    if scores is None and axis == 1:
        return _outputs(layer.bottoms[0])
    return scores[axis] if scores and -len(scores) <= axis < len(scores) else None


def _outputs(blob: Blob) -> int | None:
    """The num_output of what makes scores whose shape nothing tells, as of data that a Python layer brings."""
    maker = blob.maker_beyond(lambda layer: layer.runs_in_place and not layer.has_weights)
    known = maker is not None and maker.has_weights and maker.has_setting("num_output")
    return int(maker.parameters.num_output) if maker is not None and known else None


def same_label(run: Run) -> float | None:
    """The label of all that was read, where it is the same for all of several batches of real data; else None."""
    if run.synthetic or len(run.loss_layers) != 1 or (classes(run.loss_layers[0]) or 0) < 2:
        return None
    blob = run.loss_layers[0].bottoms[1].original
    while blob.producer is not None and blob.producer.index is None:
        blob = blob.producer.bottoms[0]
    seen = [event for event in run.all(Statistics) if (event.kind, event.part, event.name) == (BLOB, DATA, blob.name)]
    count = len(seen) * math.prod(run.loss_layers[0].bottoms[1].shape or (1,))
    values = {end for event in seen for end in (event.min, event.max)}
    return values.pop() if count >= _MANY and len(values) == 1 else None


def summed_labels(layer: BuiltLayer) -> float | None:
    """How many labels a SoftmaxWithLoss adds up, as 1 for their mean; None for any other layer."""
    if layer.type != "SoftmaxWithLoss":
        return None
    loss = layer.message.loss_param
    mode = enum_name(loss, "normalization")
    if loss.HasField("normalize") and not loss.HasField("normalization"):
        mode = "VALID" if loss.normalize else "BATCH_SIZE"
    if mode not in ("BATCH_SIZE", "NONE"):
        return 1.0
    count, scores = classes(layer), layer.bottoms[0].shape if layer.bottoms else None
    if not scores or count is None:
        return None
    labels = math.prod(scores) / max(count, 1)
    shares: dict[str, float] = {"BATCH_SIZE": labels / max(scores[0], 1), "NONE": labels}
    return shares[mode]


def rose(run: Run) -> bool:
    """Is the loss at the end several times the loss at the start, and more than chance gives?"""
    first, last = abs(begins(run)), ends(run)
    near = chance(run) or 0.0
    return last > _TIMES * first and last > first + 0.5 and last > _NEAR_CHANCE * near


def falls(first: float, last: float) -> bool:
    """Is the last loss lower than the first by more than batches differ?"""
    return last < first - (1 - FELL) * abs(first)


def below_zero(run: Run) -> BuiltLayer | None:
    """The loss layer that is below 0 at the end, although it cannot be for what it is made for."""
    last = run.iterations[-1].losses if run.iterations else {}
    found = (layer for layer in run.loss_layers if layer.never_negative and layer.loss_weights[0] > 0)
    return next((layer for layer in found if last.get(layer.tops[0].name, 0.0) < 0), None)


def runs_away(run: Run) -> BuiltLayer | None:
    """The loss with a weight below 0 that grows many times, so that the sum of all falls far below 0."""
    before, after = run.started, run.iterations
    if not before or not after or not ends(run) < -abs(begins(run)):
        return None
    for layer in run.loss_layers:
        first, last = (each[-1].losses.get(layer.tops[0].name, math.nan) for each in (before, after))
        if layer.loss_weights[0] < 0 < last and last > _AWAY * (abs(first) + 1):
            return layer
    return None


def progress(run: Run) -> float:
    """The loss at the end as a share of that at the start, or of the best constant answer where that is less.

    Of several losses, that of one which does not fall.
    """
    return max(
        [left(run), *(share for share, _, _, one in _parts(run) if share > (_STAYS if _has_labels(one) else FELL))]
    )


def held_back(run: Run) -> tuple[BuiltLayer, float] | None:
    """Of several losses that which falls least, and its value at the end, if it hardly falls: one of labels, or one
    that stays above the best constant answer beside a penalty."""
    able = [layer for layer in run.loss_layers if _has_labels(layer) or _is_beside_a_penalty(run, layer)]
    found = [(share, last, layer) for share, _, last, layer in _parts(run) if layer in able and share > _STAYS]
    _, last, layer = max(found, key=lambda one: one[0], default=(0.0, 0.0, None))
    return (layer, last) if layer is not None else None


def is_penalty(loss: BuiltLayer) -> bool:
    """Does it only keep something small, as the divergence of a VAE, so that it may grow while the net learns?"""
    return not loss.is_loss


def _is_beside_a_penalty(run: Run, loss: BuiltLayer) -> bool:
    others = [other for other in run.loss_layers if other is not loss]
    return not is_penalty(loss) and all(map(is_penalty, others)) and constant_of(run, loss) > 0


def _has_labels(loss: BuiltLayer) -> bool:
    return len(loss.bottoms) > 1 and bool(loss.reads_classes(1))


def left(run: Run) -> float:
    """The sum of all losses at the end as a share of that at the start, or of the best constant answer if less."""
    first, near = begins(run), best_constant(run)
    if math.isnan(near):
        near = chance(run) or math.inf
    return ends(run) / min(first, near) if first > 0 else math.nan


def least_left(run: Run) -> float:
    """Of the sum of all losses, or of the one of several that fell most, as one may take longer."""
    return min([left(run), *(share for share, _, _, _ in _parts(run))])


class Each(NamedTuple):
    """One of several losses: how much is left of it as a share of its start, or of the best constant answer where that
    is less, and its values at the start and at the end, without its weight."""

    left: float
    first: float
    last: float


def each_of(run: Run) -> dict[str, Each]:
    """By layer; empty where there are not several."""
    return {layer.name: Each(share, first, last) for share, first, last, layer in _parts(run)}


def slowest(run: Run) -> tuple[BuiltLayer, float, float] | None:
    """The one of several losses that fell least, and its values at the start and at the end, without its weight."""
    parts = _parts(run)
    if not parts:
        return None
    _, first, last, layer = max(parts, key=lambda part: part[0])
    return layer, first, last


def goes_on(run: Run, layer: BuiltLayer) -> bool:
    """Does a loss fall to the end, so that more iterations take it further?"""
    values = [event.losses.get(layer.tops[0].name, math.nan) for event in run.iterations]
    middle = len(values) // 2
    return falls(median(values[middle - TAIL : middle]), median(values[-TAIL:])) if middle >= TAIL else False


def remaining(run: Run) -> float:
    """How much is left of that one, as a share of its start, or of the best constant answer where that is less; 0 where
    there are not several."""
    return max((share for share, _, _, _ in _parts(run)), default=0.0)


def constant_of(run: Run, layer: BuiltLayer) -> float:
    """What the best constant answer gives of one loss, without its weight; what chance gives where that is not known,
    or nan."""
    near = _constant_of(run, layer)
    return near if near > 0 else _chance_of(layer) or math.nan


def staying(run: Run, target: str) -> tuple[BuiltLayer, float, float] | None:
    """The loss that compares with that blob, its values at the start and at the end, if it does not fall below what a
    constant answer gives."""
    parts = _parts(run) or [(left(run), begins(run), ends(run), one) for one in run.loss_layers[:1]]
    own = [part for part in parts if len(part[3].bottoms) > 1 and part[3].bottoms[1].original.name == target]
    return next(((layer, first, last) for share, first, last, layer in own if share > FELL), None)


def recalled(run: Run, target: str) -> tuple[BuiltLayer, float, float] | None:
    """The loss that compares with that blob, its values at the end and in TEST, if it falls below what a constant
    answer gives by little, and in TEST not at all: what it learned of records that it read again holds for no others.

    None with statistics of batches, as those that TEST takes are far off at first.
    """
    if any(layer.keeps_statistics for net in run.built for layer in net.layers):
        return None
    for layer in run.loss_layers:
        if len(layer.bottoms) < 2 or layer.bottoms[1].original.name != target:
            continue
        name, near = layer.tops[0].name, constant_of(run, layer)
        after = [event.losses[name] for event in run.iterations[1:] if name in event.losses][-TAIL:]
        tested = [event.outputs[name] for event in run.all(Tested) if name in event.outputs]
        if after and tested and median(after) > _LITTLE * near and min(tested) > FELL * near:
            return layer, median(after), min(tested)
    return None


def _parts(run: Run) -> list[tuple[float, float, float, BuiltLayer]]:
    """Of each of several losses that are to fall: progress, values at the start and at the end."""
    found = []
    for layer in run.loss_layers if len(run.loss_layers) > 1 else ():
        if is_penalty(layer):
            continue
        name = layer.tops[0].name
        before = [event.losses[name] for event in run.started if name in event.losses]
        after = [event.losses[name] for event in run.iterations[1:] if name in event.losses][-TAIL:]
        if layer.loss_weights[0] > 0 and before and after and 0 < max(before) < math.inf:
            near = _constant_of(run, layer)
            near = near if near > 0 else _chance_of(layer) or math.inf
            found.append((median(after) / min(max(before), near), max(before), median(after), layer))
    return found


def fell(run: Run) -> bool:
    """Is it less than half of what it was, and less than chance where that is known?"""
    first, last = begins(run), ends(run)
    near = chance(run)
    return last < 0.5 * first and (near is None or last < near)


def clamped(run: Run) -> str:
    """`10 of 16 labels` whose class has a probability of exactly 0, if the loss stays at multiples of 87.3365."""
    for layer in run.loss_layers:
        labels = layer.bottoms[1].shape if len(layer.bottoms) > 1 else None
        count = math.prod(labels) if labels else 0
        values = [event.losses.get(layer.tops[0].name, math.nan) for event in run.iterations[-TAIL:]]
        if layer.type != "SoftmaxWithLoss" or not 0 < count <= _MOST_LABELS or len(values) < 2:
            continue
        shares = [value / CLAMPED * count for value in values]
        if math.inf in shares:
            continue
        if all(share > count / 5 and abs(share - round(share)) < 0.02 for share in shares if not math.isnan(share)):
            return f"{round(median(shares))} of {count} labels" if not math.isnan(median(shares)) else ""
    return ""
