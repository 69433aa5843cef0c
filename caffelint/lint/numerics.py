"""What the numbers of a solver and its net lead to, for rules that judge them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from caffelint.caffe.learning_rate import Schedule, schedule
from caffelint.caffe.states import TRAIN, State
from caffelint.lint.cause import Cause, CauseKind, Suggested
from caffelint.lint.finding import LIKELY
from caffelint.lint.weights import starts_from_weights
from caffelint.numerics.judgement import (
    ALIKE,
    CLIP,
    DECAY,
    FILLER,
    HOT,
    INPUT,
    LOSS,
    LOSS_WEIGHT,
    MOMENTUM,
    OVERSHOOT,
    RATE,
    STILL,
    WEIGHT_DECAY,
    Cure,
    Judgement,
    judge,
)

if TYPE_CHECKING:
    from caffelint.caffe.solver import Solver

__all__ = [
    "ALIKE",
    "CLIP",
    "DECAY",
    "FILLER",
    "HOT",
    "INPUT",
    "LOSS",
    "LOSS_WEIGHT",
    "MOMENTUM",
    "OVERSHOOT",
    "RATE",
    "STILL",
    "WEIGHT_DECAY",
    "Cure",
    "Judgement",
    "fault",
    "judge",
    "judged",
    "number",
    "remedy",
    "steps",
]

_JUDGED = "_judged"


def judged(solver: Solver) -> Judgement | None:
    """What is wrong with the start of the training; None where nothing is, or where nobody can know: the net is loaded
    from weights, or a fork changes the rates.
    """
    if _JUDGED not in solver.__dict__:
        solver.__dict__[_JUDGED] = _judged(solver)
    found: Judgement | None = solver.__dict__[_JUDGED]
    return found


def _judged(solver: Solver) -> Judgement | None:
    net, message = solver.train_net, solver.message
    if net is None or starts_from_weights(net) or solver.scales_rates:
        return None
    rates = schedule(message)
    rate = rates.rate(0)
    if not 0 < rate < math.inf or not 0 <= message.momentum < 1:
        return None
    try:
        return judge(net.likely(State(TRAIN)), message, rate, steps=steps(rates, message.max_iter))
    except ArithmeticError:  # beyond what can be told
        return None


_POINTS = 1000


def steps(rates: Schedule, iterations: int) -> float:
    """How many updates at the first rate all updates come to; inf where the text does not say how many there are."""
    if iterations <= 0:
        return math.inf
    every = range(0, iterations, max(iterations // _POINTS, 1))
    total = sum(rates.rate(iteration) for iteration in every)
    return total / len(every) * iterations / rates.rate(0) if math.isfinite(total) else math.inf


def number(value: float) -> str:
    """As much of a number as can be told."""
    return f"{float(f'{value:.2g}'):g}"


_FAULTS: dict[str, CauseKind] = {
    RATE: "rate",
    MOMENTUM: "momentum",
    CLIP: "clip-gradients",
    WEIGHT_DECAY: "weight-decay",
    LOSS_WEIGHT: "loss-weight",
    INPUT: "input-scale",
    FILLER: "fillers",
}
_FIELDS = {RATE: "base_lr", MOMENTUM: "momentum", WEIGHT_DECAY: "weight_decay"}


def fault(found: Judgement, what: str, why: str, otherwise: CauseKind) -> Cause:
    """What is to blame: what the first of the cures changes. otherwise: where nothing is known that would help."""
    best = found.cures[0] if found.cures else None
    kind = _FAULTS[best.kind] if best else otherwise
    field = _FIELDS.get(best.kind) if best else None
    return Cause(kind, what, why, LIKELY, suggested=suggested(best) if best and field else None)


def suggested(cure: Cure) -> Suggested:
    """The value of a field of the solver that mends it, to one digit."""
    value = 0.9 if cure.kind == MOMENTUM else float(f"{cure.is_now:.1g}")
    return Suggested(_FIELDS[cure.kind], value)


def remedy(cure: Cure) -> str:
    """The change as an advice."""
    name = f'"{cure.layer.name}"' if cure.layer is not None else ""
    name += f" and {len(cure.others)} more" if cure.others else ""
    if cure.kind in (MOMENTUM, WEIGHT_DECAY):
        return f"set {suggested(cure).text}"
    if cure.kind == CLIP:
        cut = f"from {number(cure.is_now)} to {number(cure.was)}"
        return f"clip_gradients cuts the norm of the gradients {cut}; raise it"
    if cure.kind == LOSS_WEIGHT:
        return f"its loss_weight is {number(cure.was)}; set loss_weight: 1 in {name}"
    if cure.kind == INPUT:
        to = f"a scale of {number(1 / cure.was)}"
        return f"the values of {name} are about {number(cure.was)}; bring them to about 1 with {to}"
    if cure.kind == FILLER:
        return (
            f"the weights of {name} begin at about {number(cure.was)}, {_times(cure.was, cure.is_now)} the"
            f' {number(cure.is_now)} that keeps the size of a signal; set weight_filler {{ type: "msra" }}'
        )
    return f"try {suggested(cure).text}"


def _times(was: float, usual: float) -> str:
    return f"{number(was / usual)} times" if was >= usual else f"1/{number(usual / was)} of"
