"""What the numbers of a solver and its net lead to, for rules that judge them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from caffelint.caffe.learning_rate import schedule
from caffelint.caffe.states import TRAIN, State
from caffelint.lint.weights import starts_from_weights
from caffelint.numerics.judgement import (
    ALIKE,
    FILLER,
    HOT,
    INPUT,
    LOSS,
    LOSS_WEIGHT,
    MOMENTUM,
    RATE,
    Cure,
    Judgement,
    judge,
)

if TYPE_CHECKING:
    from caffelint.caffe.solver import Solver

__all__ = [
    "ALIKE",
    "FILLER",
    "HOT",
    "INPUT",
    "LOSS",
    "LOSS_WEIGHT",
    "MOMENTUM",
    "RATE",
    "Cure",
    "Judgement",
    "judged",
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
    if net is None or starts_from_weights(net) or not _is_plain(solver):
        return None
    rate = schedule(message).rate(0)
    if not 0 < rate < math.inf or not 0 <= message.momentum < 1:
        return None
    try:
        return judge(net.likely(State(TRAIN)), message, rate)
    except ArithmeticError:  # beyond what can be told
        return None


def _is_plain(solver: Solver) -> bool:
    message = solver.message
    return not (message.local_lr_auto or message.larc or message.warmup_iter or message.rampup_interval)
