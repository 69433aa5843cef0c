"""How a series of numbers goes: what it stays at, whether it rises, falls no more, or jumps about."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.shapes import count
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.values import TEST, TRAIN, Logged, Point, Series

STUCK, SLOW, RISES, STEPS, STOPPED, JUMPS = "stuck", "slow", "rises", "steps", "stopped", "jumps"
_BINS = 20
_FEWEST = 8
_SHORT = 200
"""Iterations after which a loss that has not fallen is worth a word."""
_BRIEF = 60
"""The same of one that there is not enough of to be sure."""
_NEAR = 0.03
_EXACTLY = 1e-3
_SMALL = 3.5
"""Of logarithms: beyond, any value is near that of some number."""
_OUTPUTS = re.compile(rb"\n *num_output: (\d{1,9})\n")
_FELL, _FELL_LITTLE, _LITTLE = 0.95, 0.7, 0.98
_TIMES, _EXPLODES = 3.0, 300.0
_NOTHING, _SOON = 1e-6, 100
_UNLIKE = 4.0
_LEAST = 1.0
"""Of a loss that is said to have risen at once."""
_SPREAD = 1.5
_WELL = 0.3
_MATTERS = 0.1
"""Of the whole test loss: a smaller part of it is not what is trained for."""
_CALM, _TIMES_UP, _STEADY = 4, 1.6, 2.0


class Trend(NamedTuple):
    """kind: one of the above. first, last: the typical values at the start and at the end. since: the point that it
    goes so from. chance: the loss of guessing, None where the value is another one.
    """

    kind: str
    first: float
    last: float
    since: Point
    chance: float | None = None


def is_zero(series: Series) -> bool:
    """Is it exactly 0 all along?"""
    return len(series.points) >= _FEWEST and not any(series.values)


def vanishes(series: Series, chance: float | None) -> Point | None:
    """The point from which on the loss of a net that guessed at first is 0, as soon as no net learns."""
    points = series.finite
    last = next((number for number in reversed(range(len(points))) if abs(points[number].value) > _NOTHING), -1)
    if not chance or last < 0 or points[0].value < chance / 2 or len(points) - last <= _FEWEST:
        return None
    since = points[last + 1]
    return since if since.iteration <= _SOON and not points[0].iteration else None


def typical(points: Sequence[Point], most: int = _BINS) -> list[float]:
    """Medians of equal parts of the points."""
    count = min(most, len(points))
    cuts = [round(len(points) * part / count) for part in range(count + 1)] if count else []
    return [median(one.value for one in points[a:b]) for a, b in pairwise(cuts) if b > a]


def trend(series: Series, chance: float | None, fresh: bool = True) -> Trend | None:
    """How a loss goes; None where it falls, or where too little of it is known. chance: the loss of guessing.

    fresh: did the run begin from fillers?
    """
    points = series.finite
    if len(points) < _FEWEST:
        return None
    parts = typical(points, min(_BINS, len(points) // 2))
    first, last, low = parts[0], parts[-1], min(parts)
    lowest = min(points, key=lambda point: point.value)
    highest = max(points, key=lambda point: point.value)
    if highest.value > _EXPLODES * max(abs(points[0].value), 1.0):
        before = min((one for one in points if one.iteration <= highest.iteration), key=lambda point: point.value)
        return Trend(RISES, points[0].value, highest.value, before)
    if last > _TIMES * max(abs(low), 1e-6) and last > abs(first) + 0.5 and last > 1.5 * (chance or 0):
        return Trend(RISES, first, last, lowest)
    if chance and low < chance / 2 and all(abs(part - chance) <= _NEAR * chance for part in parts[-_CALM:]):
        return Trend(RISES, first, last, lowest, chance)
    if points[-1].iteration - points[0].iteration < _SHORT:
        at_first = points[0].value
        if fresh and not points[0].iteration and low > _TIMES * max(at_first, chance or 0, _LEAST):
            return Trend(RISES, at_first, last, points[0])
        return None
    if chance and all(abs(part - chance) <= _NEAR * chance for part in parts[len(parts) // 3 :]) and low > 0.9 * chance:
        return Trend(STUCK, first, last, points[0], chance)
    late = median(parts[len(parts) // 2 :])
    if chance and late > (1 - _NEAR) * chance and low > 0.5 * chance:
        return Trend(STUCK, first, late, points[0], chance)
    begun = max(first, median(point.value for point in points[:3]))
    if low > _FELL * begun > 0 and last > 0.9 * begun and points[0].iteration == 0 and fresh:
        return Trend(STUCK, first, last, points[0])
    if step := _step(points, parts):
        return step
    half = points[len(points) // 2 :]
    if len(half) >= 2 * _FEWEST:
        quarters = typical(half, 4)
        values = sorted(point.value for point in half)
        spread = values[int(0.9 * len(values))] - values[int(0.1 * len(values))]
        if last > 0 and spread > _SPREAD * median(values) and last > 0.05 * first:
            return Trend(JUMPS, values[int(0.1 * len(values))], values[int(0.9 * len(values))], half[0])
        if quarters[0] > 0 and min(quarters) > 0.99 * quarters[0] and last > 0.05 * first:
            return Trend(STOPPED, first, median(values), half[0])
    return None


def brief(series: Series, chance: float | None) -> Trend | None:
    """A loss that does not fall from its first third on, in a run that is too short to be sure of it. chance: where it
    came to that of guessing, or goes up and down above it, as one that has not yet begun to fall does not.
    """
    points = series.finite
    if len(points) < _FEWEST or not _BRIEF <= points[-1].iteration - points[0].iteration < _SHORT:
        return None
    begun, later = points[0].value, points[len(points) // 3 :]
    half = len(later) // 2
    before, last = median(one.value for one in later[:half]), median(one.value for one in later[half:])
    if last < _LITTLE * before or last < _FELL_LITTLE * begun or begun <= 0:
        return None
    above = chance is not None and min(before, last) > (1 - _NEAR) * chance
    moved = chance is not None and max(one.value for one in points) > (1 + _NEAR) * chance
    return Trend(STUCK, begun, last, later[0], chance if above and moved else None)


def _step(points: Sequence[Point], parts: Sequence[float]) -> Trend | None:
    """A loss that jumps once and stays there."""
    for number in range(_CALM, len(parts) - _CALM + 1):
        before, after = parts[number - _CALM : number], parts[number:]
        level = max(before)
        if level > 0 and min(after) > _TIMES_UP * level and max(before) < _STEADY * min(before):
            near = points[round(len(points) * (number - 1) / len(parts)) :]
            since = next(point for point in near if point.value > math.sqrt(level * min(after)))
            return Trend(STEPS, level, median(after), since)
    return None


def slow(series: Series, chance: float | None, share: float = _FELL_LITTLE) -> Trend | None:
    """A loss that falls, but little: for who knows something that may keep it from falling. share: of the first loss,
    which it stays above.
    """
    points = series.finite
    if len(points) < _FEWEST or points[0].iteration or points[-1].iteration < _SHORT:
        return None
    parts = typical(points, min(_BINS, len(points) // 2))
    first, last = max(parts[0], median(point.value for point in points[:3])), median(parts[-3:])
    if last > share * first > 0 or (chance and last > _FELL_LITTLE * chance):
        return Trend(SLOW, first, last, points[0], chance)
    return None


class Chance(NamedTuple):
    """The loss of a net that guesses, and its classes."""

    loss: float
    classes: int


def chance_of(recovered: Recovered, top: str) -> Chance | None:
    """What a SoftmaxWithLoss of the training net gives that guesses; None for any other top."""
    built = recovered.built
    if built is None:
        return None
    for layer in built.layers:
        if layer.type == "SoftmaxWithLoss" and layer.tops and layer.tops[0].name == top:
            scores = layer.bottoms[0].shape if layer.bottoms else None
            axis = layer.class_axis
            if scores and -len(scores) <= axis < len(scores) and scores[axis] > 1:
                return Chance(math.log(scores[axis]) * (summed(layer) or 1), scores[axis])
    return None


def summed(layer: BuiltLayer) -> float:
    """How many values a loss adds up that others take the mean of; 0 where it takes the mean."""
    shape = layer.bottoms[1].shape if layer.reads_loss_param and len(layer.bottoms) > 1 else None
    if shape is None or layer.message is None:
        return 0
    param: Any = layer.message.loss_param
    if param.HasField("normalization"):
        return float(count(shape)) if param.normalization == 3 else 0
    if param.HasField("normalize") and not param.normalize:
        return count(shape) / shape[0] if shape and shape[0] else 0
    return 0


def whole_chance(run: Logged, recovered: Recovered) -> float | None:
    """The chance of the whole loss; None where one of the losses has none."""
    total = 0.0
    losses = [one for one in run.outputs(TRAIN) if one.weight]
    for one in losses:
        own = chance_of(recovered, one.name)
        if own is None:
            return None
        total += (one.weight or 0) * own.loss
    return total or None


def guessed_chance(run: Logged) -> Chance | None:
    """What the whole loss would be of a net that guesses, where each loss stays at ln C: of a C that a text of the log
    gives as a `num_output`, even one that is not whole, or of a small one.
    """
    given = {int(one[1]) for text in run.texts if text.kind == "net" for one in _OUTPUTS.finditer(text.data)}
    found: set[int | None] = set()
    total = 0.0
    for series in run.outputs(TRAIN):
        points = series.finite
        if not series.weight or len(points) < _FEWEST:
            continue
        total += series.weight
        later = [point.value for point in points[len(points) // 3 :]]
        value = median(later)
        # The median of what goes up and down is near the logarithm of some number by chance.
        steady = median(abs(one - value) for one in later) < _NEAR / 6 * value
        near = [one for one in given if one > 1 and abs(math.log(one) - value) < _NEAR / 3 * value]
        if not near and steady and 0.6 < value < _SMALL:
            near = [one for one in (round(math.exp(value)),) if abs(math.log(one) - value) < _EXACTLY * value]
        found.add(min(near, key=lambda one: abs(math.log(one) - value)) if near else None)
    classes = found.pop() if len(found) == 1 else None
    return Chance(total * math.log(classes), classes) if classes and classes > 1 else None


def worse_tested(run: Logged) -> tuple[Series, Point, float, float] | None:
    """A test loss that rises while the training loss falls: the series, its best point, its last value, the share by
    which the training loss fell since.
    """
    loss = run.loss
    whole = sum(abs(one.weight * one.finite[-1].value) for one in run.outputs(TEST) if one.weight and one.finite)
    for series in run.outputs(TEST):
        points = [point for point in series.finite if point.iteration]
        if series.weight is None or len(points) < 6 or loss is None:
            continue
        best = min(points, key=lambda point: point.value)
        last = median(point.value for point in points[-3:])
        if abs(series.weight * last) < _MATTERS * whole or last < 1.25 * _around(points, best):
            continue
        after = [point for point in points if point.iteration > best.iteration]
        trained = [point for point in loss.finite if point.iteration >= best.iteration]
        if len(after) < max(3, len(points) // 4) or len(trained) < 6 or best.value <= 0:
            continue
        parts = typical(trained, 4)
        if 0 <= parts[-1] < 0.9 * parts[0]:
            return series, best, last, 1 - parts[-1] / parts[0]
    return None


def _around(points: Sequence[Point], best: Point) -> float:
    """The typical value of a point and its neighbours: one alone may be the best by chance."""
    at = points.index(best)
    return median(point.value for point in points[max(at - 1, 0) : at + 2])


class Unlike(NamedTuple):
    """A loss of a test net before any training, and that of the training net, which is far below it."""

    tested: Point
    trained: Point


def unlike_data(run: Logged, recovered: Recovered) -> Unlike | None:
    """Where both nets were as their fillers made them, their losses differ by their data alone. Not known of nets that
    keep statistics, as these are blank, and of those that were trained before.
    """
    built = recovered.built
    if built is None or run.restored or run.weights or any(layer.keeps_statistics for layer in built.layers):
        return None
    for series in run.outputs(TEST):
        own = run.of(TRAIN, series.name)
        if series.weight is None or own is None or not series.finite or not own.finite:
            continue
        tested, trained = series.finite[0], own.finite[0]
        if not tested.iteration and not trained.iteration and tested.value > _UNLIKE * max(trained.value, _LEAST):
            return Unlike(tested, trained)
    return None


class Guesses(NamedTuple):
    """A loss of a test net that is never better than guessing, the loss of guessing, and the last training loss."""

    series: Series
    chance: float
    trained: float


def never_better(run: Logged, recovered: Recovered) -> Guesses | None:
    """A test loss that stays above that of guessing, while the training loss has fallen far below it."""
    for series in run.outputs(TEST):
        chance = chance_of(recovered, series.name)
        tested = [point.value for point in series.finite if point.iteration]
        own = run.of(TRAIN, series.name)
        points = own.finite if own else []
        if chance is None or series.weight is None or len(tested) < 2 or len(points) < _FEWEST:
            continue
        trained = median(point.value for point in points[-_FEWEST // 2 :])
        if points[-1].iteration < _settled(recovered):
            continue
        if min(tested) > (1 - _NEAR) * chance.loss and 0 <= trained < _WELL * chance.loss:
            return Guesses(series, chance.loss, trained)
    return None


def _settled(recovered: Recovered) -> float:
    """The iteration from which on the moving statistics of BatchNorm are those of the data."""
    kept = [layer for layer in (recovered.built.layers if recovered.built else ()) if layer.type == "BatchNorm"]
    fractions = [layer.parameters.moving_average_fraction for layer in kept]
    return max((3 / (1 - one) for one in fractions if 0 <= one < 1), default=0.0)


def constant(series: Series) -> float | None:
    """The value of a series that prints the same all along."""
    values = set(series.values)
    return values.pop() if len(series.points) >= 5 and len(values) == 1 else None
