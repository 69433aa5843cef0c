"""The largest base_lr at which a run stays finite: a coarse search by tens, then bisection, then one that learns.

Each rate is a run of its own, from the same weights and data: Smith's range test (arXiv 1506.01186) raises the rate
within one run, which cannot be done by a solver that has a schedule of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from caffelint.smoke.events import Crashed, Iteration, NonFinite, OutOfMemory, PythonLayer, Refused, TimedOut
from caffelint.smoke.loss import TAIL

_LOWEST, _HIGHEST = 1e-8, 1e4
"""Below, float32 weights hardly move, since their last digit is 6e-8 of them; above, no rate is useful."""
_COARSE, _NEAR_EXPECTED = 10.0, 3.0
"""Steps of the search for the limit, and those from where it is expected: 8 of 10 are within one of them."""
_ROUNDING = 1.1
"""Rates have two digits."""
_EXACT, _EXACT_ENOUGH = 1.5, 1.8
"""How near to the limit the search ends. What is suggested is a tenth of it, and a run is expensive."""
_GROWTH = 4.0
"""A loss that ends this many times as high has grown; batches differ by less."""
_WITHOUT_END = 100.0
"""A loss that may be negative and ends this many times as far below 0 falls without bound."""
_SHARE = 0.1
"""Of the largest rate: a few iterations do not show what breaks later."""
_ALIKE = 0.05
"""Losses this near to each other count as equal: batches differ by more."""
_NEAR = 1e-6
_FAR = 10.0
_LOWER = 3
"""Rates that are tried below all others if none learns."""
"""Of a power of ten, which a float may just miss."""


class Trial(NamedTuple):
    """One rate: did the run stay finite, and the median of its last losses; nan if it did not end.

    how: how it broke, in words. elsewhere: did something end it that is not the rate? idle: why a run that stayed
    finite learned nothing, "" if it learned.
    """

    rate: float
    finite: bool
    loss: float
    how: str = ""
    elsewhere: bool = False
    idle: str = ""

    @property
    def learns(self) -> bool:
        return self.finite and not self.idle


class Found(NamedTuple):
    """largest: the largest rate that stayed finite, 0 if none did. suggested: one that learned, 0 for none."""

    trials: list[Trial]
    largest: float
    suggested: float


def trial(rate: float, events: Sequence[object]) -> Trial:
    """The result of a run at a rate; a loss that grew to several times the first counts as not finite."""
    losses = [event.loss for event in events if isinstance(event, Iteration) and event.iteration >= 0]
    bad = next((event for event in events if isinstance(event, NonFinite)), None)
    if bad is None and (how := _elsewhere(events, bool(losses))):
        return Trial(rate, False, math.nan, how, elsewhere=True)
    finite = bool(losses) and bad is None
    tail = sorted(losses[-TAIL:])
    loss = tail[len(tail) // 2] if tail and finite else math.nan
    grew = loss > _GROWTH * abs(losses[0]) and loss > abs(losses[0]) + 0.5 if finite else False
    if grew or (finite and loss < -_WITHOUT_END * (abs(losses[0]) + 1)):
        return Trial(rate, False, loss, f"the loss went from {losses[0]:.4g} to {loss:.4g}")
    how = ""
    if bad is not None:
        at = f' at "{bad.layer}"' if bad.layer else ""
        how = f"{'nan' if bad.nan else 'inf'} in iteration {bad.iteration}{at}"
    return Trial(rate, finite, loss, how)


def _elsewhere(events: Sequence[object], updated: bool) -> str:
    """What ended a run that is not the rate. Before any update, a rate breaks nothing."""
    for event in events:
        if isinstance(event, TimedOut):
            return f"it did not end in {event.seconds:g} s"
        if isinstance(event, OutOfMemory):
            return "out of memory"
        if isinstance(event, Refused | PythonLayer) and not updated:
            return event.message
        if isinstance(event, Crashed) and not updated:
            return f"it crashed with status {event.status}"
    return ""


class _Elsewhere(Exception):
    """A run ended for a reason that is not its rate: no other rate will tell more."""


def find_lr(start: float, run: Callable[[float], Trial], expected: float | None = None) -> Found:
    """start: the solver's base_lr. run: trains at a rate. What is not for the rate ends the search.

    expected: the limit that the figures of the net predict, if any; fewer runs find one that is near.
    """
    trials: dict[float, Trial] = {}

    def tried(rate: float) -> Trial:
        if rate not in trials:
            trials[rate] = run(rate)
            if trials[rate].elsewhere:
                raise _Elsewhere
        return trials[rate]

    try:
        largest = _largest(start, lambda rate: tried(rate).finite, expected)
        suggested = _suggestion(trials, largest, tried) if largest else 0.0
    except _Elsewhere:
        largest = max((rate for rate, one in trials.items() if one.finite), default=0.0)
        suggested = max((one.rate for one in _learnt(trials) if one.rate <= largest * _SHARE), default=0.0)
    return Found(sorted(trials.values()), largest, suggested)


def _largest(start: float, stays: Callable[[float], bool], expected: float | None) -> float:
    """The largest rate that stays finite; 0 for none."""
    step, near = (_COARSE, _EXACT) if expected is None else (_NEAR_EXPECTED, _EXACT_ENOUGH)
    rate = start if math.isfinite(start) and start > 0 else 0.01
    held = stays(rate)
    low, high = (rate, math.inf) if held else (0.0, rate)
    if expected is not None and low < (rate := _rounded(expected)) < high:
        held = stays(rate)
        low, high = (rate, high) if held else (low, rate)
    while (low < _HIGHEST if held else high > _LOWEST) and high > low * step * _ROUNDING:
        rate = _rounded(low * step if held else high / step)
        low, high = (rate, high) if stays(rate) else (low, rate)
    while low and near * low < high < math.inf:
        middle = _rounded(math.sqrt(low * high))
        low, high = (middle, high) if stays(middle) else (low, middle)
    return low


def _suggestion(trials: dict[float, Trial], largest: float, tried: Callable[[float], Trial]) -> float:
    """A tenth of the largest, or the highest rate whose loss is about the lowest, if that is lower still.

    Only of those at which the net learns; lower ones are tried until it does. What is suggested was tried.
    """
    lower = min(trials)
    for _ in range(_LOWER):
        lower = _rounded(lower / 10)
        if _learnt(trials) or lower < _LOWEST:
            break
        tried(lower)
    good = [one for one in _learnt(trials) if one.rate <= largest]
    if not good:
        return 0.0
    lowest = min(one.loss for one in good)
    best = max(one.rate for one in good if one.loss <= lowest + _ALIKE * abs(lowest))
    wanted = _round_down(min(largest * _SHARE, best))
    if tried(wanted).learns:
        return wanted
    return max((one.rate for one in good if one.rate <= largest / 2), default=best)


def _learnt(trials: dict[float, Trial]) -> list[Trial]:
    return [one for one in trials.values() if one.learns]


def why(start: float, largest: float, suggested: float, idle: str = "") -> str:
    """Where the suggestion comes from, and whether the solver's own rate is fine. idle: why the net learns nothing at
    that, or at any rate where none is suggested."""
    if not suggested:
        return f"no rate learns: {idle}"
    if math.isclose(suggested, _round_down(largest * _SHARE)):
        reason = "a tenth of that"
    else:
        reason = "the highest rate whose loss is about the lowest"
    if not 0 < start <= largest / 2:
        return f"suggested: {suggested:g}, {reason}"
    if idle:
        return f"at base_lr {start:g} it learns nothing: {idle}; suggested: {suggested:g}, {reason}"
    if start >= suggested / _FAR:
        return f"base_lr {start:g} is well below and fine; suggested to start with: {suggested:g}, {reason}"
    return f"base_lr {start:g} is low; suggested: {suggested:g}, {reason}"


def _rounded(rate: float) -> float:
    return float(f"{rate:.2g}")


def _round_down(rate: float) -> float:
    """One digit: 0.0316 is 0.03."""
    exponent = math.floor(math.log10(rate) + _NEAR)
    return float(f"{math.floor(rate / 10.0**exponent + _NEAR) * 10.0**exponent:.1g}")
