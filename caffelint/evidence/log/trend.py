"""How a series of numbers goes: what it stays at, whether it rises, falls no more, or jumps about."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.values import TEST, TRAIN, Logged, Point, Series

STUCK, RISES, STOPPED, JUMPS = "stuck", "rises", "stopped", "jumps"
_BINS = 20
_FEWEST = 8
_SHORT = 200
"""Iterations after which a loss that has not fallen is worth a word."""
_NEAR = 0.03
_EXACTLY = 1e-3
_SMALL = 3.5
"""Of logarithms: beyond, any value is near that of some number."""
_OUTPUTS = re.compile(rb"\n *num_output: (\d{1,9})\n")
_FELL = 0.95
_TIMES = 3.0
_SPREAD = 1.5


class Trend(NamedTuple):
    """kind: one of the above. first, last: the typical values at the start and at the end. since: the point that it
    goes so from. chance: the loss of guessing, None where the value is another one.
    """

    kind: str
    first: float
    last: float
    since: Point
    chance: float | None = None


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
    if last > _TIMES * max(abs(low), 1e-6) and last > abs(first) + 0.5 and last > 1.5 * (chance or 0):
        return Trend(RISES, first, last, lowest)
    if points[-1].iteration - points[0].iteration < _SHORT:
        return None
    if chance and all(abs(part - chance) <= _NEAR * chance for part in parts[len(parts) // 3 :]) and low > 0.9 * chance:
        return Trend(STUCK, first, last, points[0], chance)
    if low > _FELL * first > 0 and last > 0.9 * first and points[0].iteration == 0 and fresh:
        return Trend(STUCK, first, last, points[0])
    half = points[len(points) // 2 :]
    if len(half) >= 2 * _FEWEST:
        late = typical(half, 4)
        values = sorted(point.value for point in half)
        spread = values[int(0.9 * len(values))] - values[int(0.1 * len(values))]
        if last > 0 and spread > _SPREAD * median(values) and last > 0.05 * first:
            return Trend(JUMPS, values[int(0.1 * len(values))], values[int(0.9 * len(values))], half[0])
        if late[0] > 0 and min(late) > 0.99 * late[0] and last > 0.05 * first:
            return Trend(STOPPED, first, median(values), half[0])
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
                return Chance(math.log(scores[axis]), scores[axis])
    return None


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
        value = median(point.value for point in points[len(points) // 3 :])
        near = [one for one in given if one > 1 and abs(math.log(one) - value) < _NEAR / 3 * value]
        if not near and 0.6 < value < _SMALL:
            near = [one for one in (round(math.exp(value)),) if abs(math.log(one) - value) < _EXACTLY * value]
        found.add(min(near, key=lambda one: abs(math.log(one) - value)) if near else None)
    classes = found.pop() if len(found) == 1 else None
    return Chance(total * math.log(classes), classes) if classes and classes > 1 else None


def worse_tested(run: Logged) -> tuple[Series, Point, float, float] | None:
    """A test loss that rises while the training loss falls: the series, its best point, its last value, the share by
    which the training loss fell since.
    """
    loss = run.loss
    for series in run.outputs(TEST):
        points = [point for point in series.finite if point.iteration]
        if series.weight is None or len(points) < 6 or loss is None:
            continue
        best = min(points, key=lambda point: point.value)
        last = median(point.value for point in points[-3:])
        after = [point for point in points if point.iteration > best.iteration]
        trained = [point for point in loss.finite if point.iteration >= best.iteration]
        if len(after) < max(3, len(points) // 4) or len(trained) < 6 or best.value <= 0:
            continue
        parts = typical(trained, 4)
        if last > 1.25 * best.value and parts[-1] < 0.98 * parts[0] and parts[0] > 0:
            return series, best, last, 1 - parts[-1] / parts[0]
    return None


def constant(series: Series) -> float | None:
    """The value of a series that prints the same all along."""
    values = set(series.values)
    return values.pop() if len(series.points) >= 5 and len(values) == 1 else None
