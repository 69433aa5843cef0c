"""Compares the gradient of a layer's backward with the slope of its forward; Python 2.7 and 3, numpy alone.

Only some values of each blob are tried: those with the largest gradients, and some at random. Each is moved by two
steps to both sides; if the forward has a kink between them (ReLU at 0, a maximum that changes places) there is no slope
to compare with, and the value is left out. What float32 rounds away counts as no difference; if that is everything, the
values are moved together, and those of a Python layer that get no gradient at all are in any case.

One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: RUF005, UP004, UP010, UP024
# mypy: ignore-errors
from __future__ import absolute_import, division

import inspect
import math
import re
import sys
import time

import numpy

_SETS = re.compile(r"[ \t]{0,99}bottom\[(\d{1,4})\]\.diff(?:\[[^\]\n]{0,99}\])? ?[-+*/]?=")
VALUES = 24
SECONDS = 3.0
"""For one blob, about: slow layers get fewer values."""
_LEAST = 6
_STEPS = (1e-2, 1e-3, 1e-4)
"""Relative to the values' own scale; the smaller ones if the forward has a kink within the larger."""
_EPSILON = 1.2e-7
_SHARE = 0.02
_BEFORE = 977.0
_WEIGHS = 0.05
_ADDED = 0.05
_OTHER = 0.1
"""Of a gradient: by how much it is off where its ratio to the slope is another one."""
_CLAMPED = ("SoftmaxWithLoss", "SoftmaxWithLossOHEM", "MultinomialLogisticLoss", "InfogainLoss")
"""Their forward takes no log of less than FLT_MIN or 1e-20, and is flat below; their backward goes on, by design."""
_RECURRENT = ("LSTM", "RNN")
"""They continue from the last batch, unless `cont`, their second bottom, is 0 in the first step."""


def check(layer, spec, seed):
    """Gives an event `gradient` without its name for each bottom and parameter of `spec` (job.Check).

    layer: has `bottoms` and `params`, lists of float32 arrays that may be written to, `forward()`, which computes from
    them and gives the tops, and `backward(tops, before)`, which runs backward from diffs of the tops, with all diffs of
    bottoms set to `before` first, and gives those of bottoms and of parameters, None for those without. With a third
    argument, True, it runs with what the bottoms held before a forward in place overwrote them.
    """
    random = numpy.random.RandomState(seed)
    if spec["kind"] in _RECURRENT:
        layer.bottoms[1][0] = 0
    with numpy.errstate(all="ignore"):
        reason, objective = _objective(layer, spec, random)
        found, stale, again = (None, None, None) if reason else (layer.backward(objective.weights, 0.0), None, None)
        if not reason:
            stale = layer.backward(objective.weights, _BEFORE)
            layer.forward()
            again = layer.backward(objective.weights, 0.0)
        params = range(len(layer.params)) if spec["params"] is None else spec["params"]
        wanted = [("blob", spec["names"][number], 0, number) for number in spec["bottoms"]]
        wanted += [("param", str(number), 1, number) for number in params]
        for kind, name, side, number in wanted:
            event = {"layer": spec["layer"], "kind": kind, "name": name, "checked": 0, "wrong": 0, "kinks": 0}
            event.update(_place(spec.get("code", ""), side, number))
            event.update(at=[], analytic=0.0, numeric=0.0, factor=float("nan"), stale=False, zero=False, skipped=reason)
            event.update(kept=False, also=[], also_at=[], about="", flat=False, overwritten=False)
            if not reason:
                values = (layer.bottoms, layer.params)[side][number]
                gradient = found[side][number]
                if gradient is None:
                    event["skipped"] = "no gradient comes back"
                elif not numpy.isfinite(gradient).all():
                    event["skipped"] = "its gradient is not finite"
                else:
                    # Parameters' diffs add up, by design.
                    same = side or _same(gradient, stale[side][number])
                    differs = not side and not _same(gradient, again[side][number])
                    # What learns in each pass, as centers of classes, changes it as well, by far less.
                    old = not same and float(numpy.median(numpy.abs(stale[side][number] - gradient))) > _BEFORE / 2
                    event["stale"] = not same and (old or not differs)
                    _values(layer, objective, values, gradient, random, spec, event)
                    event["kept"] = differs and not old and _adds_up(event, gradient, again[side][number])
                    if event["wrong"] and not (side or event["stale"] or event["kept"] or event["zero"]):
                        _mirrored(layer, objective, number, spec, event)
                        _restored(layer, objective, number, spec, event)
            yield event


def _adds_up(event, first, then):
    """Is a wrong gradient larger by the right one, once or more, in the next pass, as what adds to old values is?"""
    if not event["wrong"] or not event["at"]:
        return False
    at = tuple(event["at"])
    times = (float(then[at]) - float(first[at])) / (event["numeric"] or float("nan"))
    return 0.5 < times < 3.5 and abs(times - round(times)) <= _ADDED  # a backward may run forward again


def _place(code, side, number):
    """Where the backward of a Python layer is written, as it was imported: its one line that sets this diff, or its
    first one."""
    module, _, name = code.rpartition(".")
    backward = getattr(getattr(sys.modules.get(module), name, None), "backward", None)
    written = getattr(backward, "__code__", None)
    if not written:
        return {}
    try:
        lines, first = inspect.getsourcelines(written)
    except (IOError, TypeError):
        lines, first = [], 0
    sets = [_SETS.match(line) for line in lines]
    found = [first + at for at, one in enumerate(sets) if not side and one and int(one.group(1)) == number]
    return {"file": written.co_filename, "line": found[0] if len(found) == 1 else written.co_firstlineno}


class Objective(object):
    """A weighted sum of all tops; weights: by top, their diffs. seconds: what a forward pass takes."""

    def __init__(self, weights, seconds):
        self.weights = weights
        self.seconds = seconds

    def difference(self, one, other):
        """Of two forward passes, and how much of it may be rounding."""
        total, noise, largest = 0.0, 0.0, 0.0
        for weights, left, right in zip(self.weights, one, other):  # noqa: B905
            if weights is None:
                continue
            apart = left.astype(numpy.float64) - right
            total += float((weights * apart).sum())
            shares = (weights * left).astype(numpy.float64)
            largest = max(largest, float(numpy.abs(shares).max()) if shares.size else 0.0)
            noise += float((shares[apart != 0] ** 2).sum())
        # What does not move may have moved by less than the last digit.
        return total, _EPSILON * (8 * noise**0.5 + largest)


def _objective(layer, spec, random):
    first = layer.forward()
    started = time.time()
    second = layer.forward()
    seconds = time.time() - started
    if not all(_same(one, other) for one, other in zip(first, second)):  # noqa: B905
        return "its forward gives different values each time", None
    if not all(numpy.isfinite(top).all() for top in first):
        return "its forward is not finite", None
    weights = []
    for top, weight in zip(first, spec["tops"]):  # noqa: B905
        if weight is None:
            weights.append(
                (random.uniform(0.5, 1.5, top.shape) * random.choice([-1, 1], top.shape)).astype(numpy.float32)
            )
        else:
            weights.append(numpy.full(top.shape, weight, numpy.float32) if weight else None)
    return "", Objective(weights, seconds)


def _same(one, other):
    return one.shape == other.shape and bool(((one == other) | ((one != one) & (other != other))).all())


def _values(layer, objective, values, gradient, random, spec, event):
    """Try some values of a blob and put the result into the event."""
    flat, slope = values.reshape(-1), gradient.reshape(-1)
    largest = float(numpy.abs(slope).max()) if slope.size else 0.0
    event["zero"] = not largest
    scale = float(numpy.sqrt((flat.astype(numpy.float64) ** 2).mean())) if flat.size else 0.0
    allowed = min(VALUES, max(_LEAST, int(SECONDS / (4 * objective.seconds + 1e-9))))
    worst, unsure, ratios, wrong = -1.0, 0, [], []
    for index in _chosen(slope, allowed, random):
        analytic = float(slope[index])
        measured = _numeric(layer, objective, flat, index, scale or 1.0, analytic)
        if measured is None:
            event["kinks"] += 1
            continue
        numeric, doubt = measured
        if doubt > 0.5 * max(largest, abs(numeric)):
            unsure += numeric != analytic
            event["checked"] += numeric == analytic
            continue
        if not numeric and spec["kind"] in _CLAMPED:
            event["kinks"] += 1
            continue
        event["checked"] += 1
        apart = abs(numeric - analytic)
        if abs(numeric) > 4 * doubt and numeric:
            ratios.append(analytic / numeric)
        excess = apart - _SHARE * max(abs(numeric), abs(analytic)) - doubt - 1e-3 * largest
        event["wrong"] += int(excess > 0)
        wrong += [(index, analytic, numeric)] if excess > 0 else []
        if apart > worst and (excess > 0 or not event["wrong"]) or excess > 0 and event["wrong"] == 1:
            worst = apart
            event["at"] = [int(one) for one in numpy.unravel_index(index, values.shape)] if values.ndim else []
            event.update(analytic=analytic, numeric=numeric)
    if unsure > event["checked"] and not event["wrong"]:
        _together(layer, objective, flat, slope, scale or 1.0, random, event)
    if spec["kind"] == "Python" and largest and not event["wrong"] and 8 * objective.seconds < SECONDS:
        _without_any(layer, objective, flat, slope, scale or 1.0, event)
    if flat.size and not event["checked"]:
        event["skipped"] = (
            "it is lost in rounding" if unsure else "the forward has a kink at every value that was tried"
        )
    event["flat"] = bool(wrong) and not ratios and not any(numeric for _, _, numeric in wrong)
    if ratios and len(ratios) > 2 and max(ratios) - min(ratios) <= 0.05 * abs(ratios[0]):
        event["factor"] = sorted(ratios)[len(ratios) // 2]
    elif wrong and not event["zero"] and event["at"]:
        _differs(wrong, values.shape, event)


def _differs(wrong, shape, event):
    """Another of the wrong values, at which the gradient is not as many times too large, or the sign another one."""
    worst, right = event["analytic"], event["numeric"]

    def apart(one):
        return abs(one[1] * right - worst * one[2]) / (abs(one[1] * right) + abs(worst * one[2]) + 1e-300)

    index, analytic, numeric = max(wrong, key=apart)
    if apart((index, analytic, numeric)) > _OTHER:
        event.update(also=[analytic, numeric], also_at=[int(one) for one in numpy.unravel_index(index, shape)])


def _mirrored(layer, objective, number, spec, event):
    """Is it the same on the other side of another bottom, as of targets, or of 0? A loss may have two sides, and a net
    starts on one of them."""
    values = layer.bottoms[number]
    others = [one for one in range(len(layer.bottoms)) if one != number and layer.bottoms[one].size == values.size]
    if math.isnan(event["factor"]) or not event["at"] or spec["kind"] != "Python" or len(others) > 1:
        return
    kept, at = values.copy(), tuple(event["at"])
    values[...] = (2 * layer.bottoms[others[0]].reshape(values.shape) if others else 0) - kept
    try:
        layer.forward()
        gradient = layer.backward(objective.weights, 0.0)[0][number]
        scale = float(numpy.sqrt((values.astype(numpy.float64) ** 2).mean())) or 1.0
        if gradient is None or not numpy.isfinite(gradient).all():
            return
        index, analytic = int(numpy.ravel_multi_index(at, values.shape)), float(gradient[at])
        measured = _numeric(layer, objective, values.reshape(-1), index, scale, analytic)
    except Exception:  # the user's own code, on values that it need not stand
        return
    finally:
        values[...] = kept
        layer.forward()
    if measured is None or not measured[1] <= _OTHER * max(abs(measured[0]), abs(analytic)):
        return
    factor, numeric = event["factor"], measured[0]
    if abs(analytic - factor * numeric) > _OTHER * max(abs(analytic), abs(factor * numeric)):
        about = spec["names"][others[0]] if others else "0"
        event.update(also=[analytic, numeric], also_at=event["at"], about=about, factor=float("nan"))


def _restored(layer, objective, number, spec, event):
    """Is the gradient right where the forward pass, in place, has not overwritten what the backward reads?"""
    if spec["kind"] != "Python" or not event["at"] or event["about"]:
        return
    places = [(event["at"], event["numeric"])]
    places += [(event["also_at"], event["also"][1])] if event["also"] else []
    layer.forward()
    gradient = layer.backward(objective.weights, 0.0, True)[0][number]
    if gradient is not None:
        event["overwritten"] = all(
            abs(float(gradient[tuple(at)]) - slope) <= 2 * _SHARE * abs(slope) for at, slope in places
        )


def _together(layer, objective, flat, slope, scale, random, event):
    """Move all values at once along their gradients, if the effect of each is lost in rounding."""
    way = numpy.where(slope != 0, numpy.sign(slope), random.choice([-1, 1], slope.size)).astype(numpy.float32)
    analytic = float((slope.astype(numpy.float64) * way).sum())
    for share in (0.1,) + _STEPS:
        numeric, doubt, _ = _along(layer, objective, flat, way, share * scale)
        doubt *= 2
        if doubt <= 0.2 * max(abs(numeric), abs(analytic)):
            wrong = abs(numeric - analytic) > 0.05 * max(abs(numeric), abs(analytic)) + doubt
            event["checked"] = max(event["checked"], 1)
            event.update(wrong=int(wrong), analytic=analytic, numeric=numeric, at=[])
            event["factor"] = analytic / numeric if wrong and numeric else float("nan")
            return


def _without_any(layer, objective, flat, slope, scale, event):
    """Move all values at once that get no gradient, though the others do: the forward must not depend on them.

    A few at a kink may look as if it did; so they count if together they weigh as much as a part of all the others.
    """
    way = (slope == 0).astype(numpy.float32)
    others = float(numpy.abs(slope.astype(numpy.float64)).sum())
    if not way.any():
        return
    for share in (0.1,) + _STEPS:
        numeric, doubt, bend = _along(layer, objective, flat, way, share * scale)
        if abs(numeric) > _WEIGHS * others and doubt + bend <= 0.1 * abs(numeric):
            event["checked"] = max(event["checked"], 1)
            event.update(wrong=1, analytic=0.0, numeric=numeric, at=[], factor=float("nan"))
            return


def _along(layer, objective, flat, way, size):
    """The slope of the forward as all values move along a way; how far half the step, and how far only one of both
    sides give another one."""
    kept = flat.copy()
    slopes, doubts, bend = [], [], 0.0
    try:
        middle = layer.forward()
        for step in (size, size / 2):
            flat[...] = kept + numpy.float32(step) * way
            above = layer.forward()
            flat[...] = kept - numpy.float32(step) * way
            rise, rounding = objective.difference(above, layer.forward())
            right, _ = objective.difference(above, middle)
            slopes.append(rise / (2 * step))
            doubts.append(rounding / step)
            bend = abs(2 * right - rise) / step
    finally:
        flat[...] = kept
    return slopes[1], abs(slopes[0] - slopes[1]) + doubts[1], bend


def _chosen(slope, allowed, random):
    """Half of them those with the largest gradients, the others at random."""
    if slope.size <= allowed:
        return list(range(slope.size))
    largest = numpy.argsort(-numpy.abs(slope), kind="mergesort")[: allowed // 2]
    others = random.choice(slope.size, allowed - len(largest), replace=False)
    return sorted({int(index) for index in numpy.concatenate([largest, others])})


def _numeric(layer, objective, flat, index, scale, analytic):
    """The slope of the forward there and its uncertainty; None at a kink."""
    here = float(flat[index])

    def tops(value):
        flat[index] = value
        return layer.forward(), float(flat[index])

    try:
        middle, _ = tops(here)
        best = None
        for share in _STEPS:
            step = share * max(scale, abs(here))
            slopes, doubts, bends = [], [], []
            for size in (step, step / 2):
                above, up = tops(here + size)
                below, down = tops(here - size)
                if up == down:
                    return best
                rise, rounding = objective.difference(above, below)
                right, _ = objective.difference(above, middle)
                left, _ = objective.difference(middle, below)
                slopes.append(rise / (up - down))
                doubts.append(2 * rounding / (up - down))
                bends.append(abs(right / (up - here) - left / (here - down)) if up > here > down else 0.0)
            if not all(numpy.isfinite(slopes)):
                continue
            apart = abs(slopes[0] - slopes[1])
            size = max(abs(slopes[0]), abs(slopes[1]))
            bent = bends[1] > 2 * doubts[1] + 0.02 * size and bends[1] > 0.75 * bends[0]
            if not bent and apart <= 0.02 * size + 2 * doubts[1]:
                doubt = 2 * (apart + doubts[1])
                if best is None or doubt < best[1]:
                    best = slopes[1], doubt
                if doubt <= 0.1 * max(size, abs(analytic)) or doubts[1] > apart:
                    return best
        return best
    finally:
        flat[index] = here
