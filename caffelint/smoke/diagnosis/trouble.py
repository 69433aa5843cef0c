"""Whether a run went wrong in a way that has a cause to look for, and when."""

from __future__ import annotations

import math
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.smoke.alike import Marked, Neighbours, Pairs
from caffelint.smoke.answers import CHANCE
from caffelint.smoke.diagnosis.turned import turned
from caffelint.smoke.events import DIFF, PARAM, RATE, Crashed, Iteration, NonFinite, Statistics
from caffelint.smoke.learning import (
    dead_layers,
    died,
    first_ratios,
    gradient_ended,
    is_zero,
    only_decays,
    saturates,
    size,
    weights,
)
from caffelint.smoke.loss import CLEARLY, begins, below_zero, clamped, ends, fell, progress, recalled, rose, runs_away
from caffelint.smoke.outcome import outcome, tests_well
from caffelint.smoke.run import Run

BREAKS, CRASHES, GROWS, NEGATIVE, FADES = "breaks", "crashes", "grows", "negative", "fades"
_MUCH = 0.4
"""Of the loss, or of what chance gives, left at the end: so much that a change may leave far less."""
STOPS, DIES, LARGE, FLAT, TESTS, BADLY = "stops", "dies", "large", "flat", "tests", "badly"
_TIMES, _MORE = 3.0, 0.5
_MOST = 0.5
_ENOUGH = 20
_OUTWEIGHS, _OUTWEIGHS_EACH = 5.0, 2.0
_LITTLE = 0.5
_SATURATED = 0.1
_FADED = 1e-6
_OPPOSED = -5.0
"""Deviations of what chance gives."""


class Trouble(NamedTuple):
    """kind: BREAKS (a value is not finite), CRASHES (the engine does, before any was seen), GROWS (the loss does),
    NEGATIVE (it is, and cannot be), FADES (the rate is soon next to 0), STOPS (nothing learns, or the loss stays where
    it was clamped), DIES (the output of a layer becomes 0), LARGE (the first update wipes out the weights), TESTS (only
    a TEST net gives what is not finite), FLAT (the loss falls by little, as that of a sound run may, or pairs seem to
    be told the wrong way round, sequences lie across the items of a recurrent layer, or maps turned on their data),
    BADLY (see `badly`).

    iteration: the first that shows it. progress: how much is left of the loss, or of chance where that is less.
    last: the loss at the end. tested: that of a TEST net; nan where it says little.
    """

    kind: str
    iteration: int
    progress: float = math.nan
    last: float = math.nan
    tested: float = math.nan


def trouble(run: Run) -> Trouble | None:
    """What went wrong; None for nothing, and for a rate that is not finite, whose cause is known."""
    broke = next((event for event in run.all(NonFinite) if not event.net), None)
    if broke is not None:
        return Trouble(BREAKS, broke.iteration) if broke.where != RATE else None
    if run.first(Crashed) is not None:
        return Trouble(CRASHES, max((event.iteration for event in run.all(Iteration)), default=-2) + 1)
    if len(run.iterations) < 2:
        return None
    if rose(run):
        limit = _TIMES * abs(begins(run)) + _MORE
        return Trouble(GROWS, next((one.iteration for one in run.iterations if not abs(one.loss) <= limit), 0))
    last = run.iterations[-1].iteration
    if below_zero(run) is not None or runs_away(run) is not None:
        return Trouble(NEGATIVE, last)
    if (at := faded(run)) is not None:
        return Trouble(FADES, at)
    if stuck(run):
        return Trouble(STOPS, -1)
    if _stopped(run) or _no_updates(run) or clamped(run):
        return Trouble(STOPS, last)
    if any(layer.rectifies and died(run, layer) for layer in dead_layers(run)):
        return Trouble(DIES, last)
    is_large = max(first_ratios(run).values(), default=0.0) > _MOST
    if is_large and not fell(run) and not progress(run) < CLEARLY and not tests_well(run):
        return Trouble(LARGE, last)
    if run.first(NonFinite) is not None:
        return Trouble(TESTS, last)
    return Trouble(FLAT, last, progress(run), ends(run), outcome(run).tested) if lags(run) else None


def badly(run: Run) -> Trouble | None:
    """Of a run that nothing else is wrong with: does the loss fall, but TEST, or all of it, is hardly better than an
    answer that is always the same? A sound run may be so for a while, so it is asked of little."""
    how = outcome(run) if len(run.iterations) >= _ENOUGH and trouble(run) is None else None
    if how is None or not (how.tests_badly or how.hardly):
        return None
    return Trouble(BADLY, run.iterations[-1].iteration, progress(run), ends(run), how.tested)


def objected(run: Run) -> Trouble | None:
    """Of a run that nothing else is wrong with: is a good part of its loss left, where a check advises a change?"""
    if len(run.iterations) < _ENOUGH or run.synthetic or trouble(run) is not None or not progress(run) > _MUCH:
        return None
    return Trouble(BADLY, run.iterations[-1].iteration, progress(run), ends(run), math.nan)


def clipped(run: Run) -> float:
    """How many times as long as `clip_gradients` the gradient is before any update; 0 where nothing clips it."""
    limit = run.solver.message.clip_gradients
    learning = [one.layer for one in weights(run) if one.gradient is not None]
    return math.hypot(*(_gradient(run, layer) for layer in learning)) / limit if learning and limit > 0 else 0.0


def _gradient(run: Run, layer: BuiltLayer) -> float:
    """The length of the gradient of all parameters of a layer, before any update."""
    each = ((param, run.statistics(-1, layer.name, PARAM, param.index, DIFF)) for param in layer.params or ())
    return math.hypot(*(size(one) * math.sqrt(math.prod(param.shape)) for param, one in each if one is not None))


def hampered(run: Run) -> bool:
    """Does weight decay leave the gradient next to no say, as measured before any update?"""
    is_l1 = run.solver.message.regularization_type == "L1"  # takes as much from each weight, however small it is
    return pull_of_decay(run) > (_OUTWEIGHS_EACH if is_l1 else _OUTWEIGHS)


def pull_of_decay(run: Run) -> float:
    """How many times as large as the gradient of all weights what decay adds to it is, before any update."""
    message = run.solver.message
    learning = [one for one in weights(run) if one.gradient is not None and one.data is not None]
    whole = math.hypot(*(norm(one.layer, one.gradient) for one in learning)) if learning else 0.0
    decays = math.hypot(*(norm(one.layer, one.data) for one in learning)) if learning else 0.0
    if message.regularization_type == "L1":
        decays = math.sqrt(sum(math.prod(one.layer.params[0].shape or ()) for one in learning if one.layer.params))
    return abs(message.weight_decay) * decays / whole if whole > 0 else 0.0


def norm(layer: BuiltLayer, values: Statistics | None) -> float:
    """The length of a parameter, or of its gradient, as a vector."""
    shape = layer.params[0].shape if layer.params else None
    return size(values) * math.sqrt(math.prod(shape)) if values is not None and shape else 0.0


def flat(run: Run) -> bool:
    """After enough iterations, is more than half left of the loss, or of what chance gives where that is less?

    What begins with activations at their limits may be stuck with less left. A loss that is known to be below that of
    the best constant answer, and still falls, is not flat, but for one of records that are learned by heart.
    """
    left = progress(run)
    if len(run.iterations) < _ENOUGH or math.isnan(left):
        return False
    if _by_heart(run):
        return True
    if not run.synthetic and tests_well(run):
        return False  # batches of a few records go up and down, all the same
    how = outcome(run)
    if not left > _LITTLE:
        return not how.learns and left > _SATURATED and saturates(run)
    return not (how.learns and left < CLEARLY and not math.isnan(how.constant))


def _by_heart(run: Run) -> bool:
    """Does the loss fall on records that were read before alone, and do data not tell the targets?"""
    untold = (one for one in run.all(Neighbours) if not one.net and not one.shift and one.beyond < CHANCE)
    return not run.synthetic and any(recalled(run, one.name) is not None for one in untold)


def lags(run: Run) -> bool:
    """Is the loss flat, or does it fall to what pairs that are told the wrong way round allow, or data that lies so?"""
    return flat(run) or opposed(run) is not None or _disordered(run)


def _disordered(run: Run) -> bool:
    """Do sequences lie across the items of a recurrent layer, or maps turned on their data, while a good part is left
    of the loss?"""
    if run.synthetic or len(run.iterations) < _ENOUGH or not progress(run) > _LITTLE:
        return False
    return run.first(Marked) is not None or bool(turned(run))


def opposed(run: Run, loss: str = "") -> Pairs | None:
    """Pairs of a loss, or of any, that are to be alike and are farther apart, as they are read, than the others."""
    return next((one for one in run.all(Pairs) if one.beyond < _OPPOSED and loss in ("", one.name)), None)


def faded(run: Run) -> int | None:
    """The iteration of the first half from which on nothing is left of the rate but next to 0; None for none."""
    used = [abs(event.rate) for event in run.iterations]
    if len(used) < _ENOUGH or not math.isfinite(max(used)) or not used[-1] < _FADED * used[0]:
        return None
    at = next(number for number in range(len(used)) if max(used[number:]) < _FADED * used[0])
    return at if at <= len(used) // 2 else None


def _stopped(run: Run) -> bool:
    """Did all weights learn at first, and none at the end, although the rate is not 0 then?"""
    learning = list(weights(run))
    if not learning or not run.measured or run.measured[-1] <= 0 or not run.iterations[-1].rate:
        return False
    if all(is_zero(one.gradient) or is_zero(one.first) for one in learning):
        return False
    if abs(run.iterations[-1].loss) < 1e-3 * abs(run.iterations[0].loss):
        return False
    return all(gradient_ended(run, one.layer) or is_zero(one.last) for one in learning)


def stuck(run: Run) -> bool:
    """Does no weight get a gradient, from the start to the end?"""
    learning = list(weights(run))
    return bool(learning) and all(is_zero(one.gradient) and only_decays(run, one) for one in learning)


def learns(run: Run) -> bool:
    """Does a weight get a gradient, before any update?"""
    return any(one.gradient is not None and not is_zero(one.gradient) for one in weights(run))


def _no_updates(run: Run) -> bool:
    """Do weights get a gradient, but no update from the start to the end?"""
    learning = list(weights(run))
    still = all(is_zero(one.first) and is_zero(one.last) for one in learning)
    return bool(learning) and still and any(one.gradient and not is_zero(one.gradient) for one in learning)


def losses(run: Run) -> tuple[float, float]:
    """Before any update, and at the end: the median of the last finite ones."""
    return begins(run), ends(run) if len(run.iterations) > 1 else math.nan
