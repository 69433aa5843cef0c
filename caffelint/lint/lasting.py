"""What a schedule would need so that its rate lasts for the whole training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from caffelint.caffe.learning_rate import Schedule, schedule
from caffelint.lint.cause import Suggested
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.schema.messages import SolverParameter

_DROPS = 3
"""How often a run is to lower its rate step by step."""
_AT_THE_END = 0.01
"""Of base_lr: what a usual schedule leaves."""
_USUAL = 0.1
"""What a drop leaves of the rate."""
_STILL = 0.99e-6
"""Of base_lr: with less, next to nothing changes."""
_LASTS = 0.01
"""Of base_lr: what is to be left of the rate halfway."""

_LITTLE = 0.0101
"""Of the highest rate, which two drops to a tenth leave."""
_FITS, _FITS_ONE = 0.3, 0.2
"""Of a run: the last of several drops is mostly in its second half, and those of a stepsize come a few times."""


class Early(NamedTuple):
    """Drops at fixed iterations that leave little of the rate. most: the highest rate. at, rate: the first iteration
    with little of it, and the rate from the last drop on, or there, where drops have no end. written: the numbers that
    say when, and field: where they stand.
    """

    most: float
    at: int
    rate: float
    written: tuple[int, ...]
    field: str


def early_drops(message: SolverParameter, share: float) -> Early | None:
    """Drops of `step` or `multistep` that leave no more than a hundredth of the rate after this share of the run."""
    found, runs = schedule(message), message.max_iter
    if found.problem or runs <= 0 or found.policy not in ("step", "multistep") or not 0 < found.gamma < 1:
        return None
    most = max(abs(rate) for _, rate in found.extremes(runs))
    reached = found.first(lambda rate: abs(rate) <= _LITTLE * most, runs)
    if reached is None or not 0 < reached[0] <= share * runs:
        return None
    if found.policy == "step":
        return Early(most, *reached, (found.stepsize,), "stepsize")
    last = max(found.stepvalues)
    return Early(most, last, found.rate(last), found.stepvalues, "stepvalue") if last <= share * runs else None


def in_iterations(early: Early, iterations: int, epoch: float) -> tuple[int, ...]:
    """What is written as iterations, if it is epochs of so many each, and they fit the run; empty where they do not."""
    least = (_FITS if early.field == "stepvalue" else _FITS_ONE) * iterations
    found = tuple(round(value * epoch) for value in early.written)
    return found if least <= max(found) <= iterations and len(set(found)) == len(found) else ()


def slower(message: SolverParameter, iterations: int) -> Suggested | None:
    """Another value for one field of the same policy, with which the rate lasts; None where no single one does it."""
    found = schedule(message)
    better = _better(found, iterations) if iterations > 0 and not found.problem else None
    if better is None:
        return None
    changed = type(message)()
    changed.CopyFrom(message)
    setattr(changed, better.field, better.value)
    lasts = abs(schedule(changed).rate(iterations // 2)) > _LASTS * abs(found.base)
    return better if lasts and better.value != getattr(message, better.field) else None


def usual_drops(message: SolverParameter, iterations: int) -> tuple[Suggested, ...]:
    """Drops to a tenth, as is usual, and at which stepsize, if at that of the solver they still follow too fast."""
    changed = type(message)()
    changed.CopyFrom(message)
    changed.gamma = _USUAL
    usual = schedule(changed)
    gamma = Suggested("gamma", _USUAL)
    if usual.policy != "step" or abs(usual.rate(iterations - 1)) > _STILL * abs(usual.base):
        return (gamma,)
    return gamma, Suggested("stepsize", _stepsize(iterations))


def _stepsize(iterations: int) -> int:
    """For drops a few times in a run: a number of two digits and zeros, as people write it."""
    least = math.ceil(iterations / _DROPS)
    unit: int = 10 ** max(0, len(str(least)) - 2)
    return math.ceil(least / unit) * unit


def _better(found: Schedule, iterations: int) -> Suggested | None:
    if found.policy == "step":
        return Suggested("stepsize", _stepsize(iterations))
    if found.policy == "exp" and found.gamma < 1:
        return Suggested("gamma", 1 - float(f"{-math.expm1(math.log(_AT_THE_END) / iterations):.2g}"))
    if found.policy == "inv" and found.power > 0:
        return Suggested("gamma", float(f"{(_AT_THE_END ** (-1 / found.power) - 1) / iterations:.2g}"))
    if found.policy == "poly" and found.power > 1:
        return Suggested("power", 1)
    if found.policy == "sigmoid" and found.gamma > 0:
        # It rises around stepsize, within some 1 / gamma iterations.
        return Suggested("stepsize", max(1, round(min(1 / found.gamma, iterations))))
    return None
