"""What a run that went well has shown: whether the net learns, from how much data, and of what kind."""

from __future__ import annotations

import math
from statistics import median, pstdev
from typing import NamedTuple

from caffelint.smoke.alike import Targets
from caffelint.smoke.events import Tested
from caffelint.smoke.fed import MadeUp
from caffelint.smoke.loss import FELL, TAIL, best_constant, chance, ends, falls, losses, remaining
from caffelint.smoke.run import Run

FALLS, ABOVE, PART, UNSTEADY, FLAT = "falls", "above", "part", "unsteady", "flat"
_BEYOND = 2.0
"""Times the spread of the later losses: a smaller fall may be chance."""
WELL = 0.5
"""Of the loss of the best constant answer: below it in TRAIN and in TEST, a net has learned, however it came there."""
_EVEN = 0.9
"""Of the entropy of labels that are all as frequent: a few of them cannot be most of the answers."""
_SEEN, _GAINED = 3.0, 0.8
"""Times that each record was seen; of the loss of the best constant answer, what a net that learns well leaves then."""
_PEAK = 5.0
"""Times the first loss: a rate that throws a net so far has not shown that it leads anywhere."""


class Outcome(NamedTuple):
    """moves: FALLS (beyond its noise, below the best constant answer), ABOVE (it falls, but not below that), PART (that
    of one of several losses does not), UNSTEADY or FLAT; "" for too few iterations. constant: the loss of that answer,
    nan if it is not known.

    tested: the least loss of a TEST net on records of its own; nan without one, or with statistics, which take long.
    tested_constant: what `constant` is for the labels of that net.
    by_test: is it that loss that shows that the net learns, while that of TRAIN goes up and down?

    last: the loss of TRAIN at the end. ends_at_zero: is it 0 for the right answers, as it is not for shares of yes and
    no?

    seen: how often each of the `records` of TRAIN was seen on average, 0 if that is not known.
    """

    iterations: int
    moves: str
    constant: float = math.nan
    seen: float = 0.0
    records: int = 0
    made_up: tuple[MadeUp, ...] = ()
    tested: float = math.nan
    by_test: bool = False
    tested_constant: float = math.nan
    last: float = math.nan
    ends_at_zero: bool = True

    @property
    def hardly(self) -> bool:
        """Is it hardly better than the best constant answer, in TEST if there is one, after all records were seen?"""
        last, constant = (self.last, self.constant) if math.isnan(self.tested) else (self.tested, self.tested_constant)
        return self.learns and self.ends_at_zero and self.seen >= _SEEN and last > _GAINED * constant

    @property
    def learns(self) -> bool:
        return self.moves == FALLS

    @property
    def tests_badly(self) -> bool:
        """Is TEST worse than the best constant answer, although the loss falls below that?"""
        return self.learns and self.tested > self.tested_constant / FELL


def outcome(run: Run) -> Outcome:
    """Of a run of at least one iteration."""
    values = losses(run)
    constant = best_constant(run)
    moves = _moves(values, constant, ends(run)) if len(values) >= 2 * TAIL else ""
    tested, tested_constant = _tested(run)
    tested_constant = constant if math.isnan(tested_constant) else tested_constant
    near = chance(run) or math.nan if math.isnan(constant) else constant
    by_test = moves == UNSTEADY and tested < WELL * near
    if by_test:
        moves = FALLS
    if moves == FALLS and remaining(run) > FELL:
        moves = PART
    layer = next((one for one in run.built[0].layers if run.fed.held(0, one.name)), None) if run.built else None
    seen, records = 0.0, 0
    if layer is not None:
        records = run.fed.held(0, layer.name)
        seen = len(values) * max(1, run.solver.message.iter_size) * layer.batch_size / records
    return Outcome(
        len(values),
        moves,
        constant,
        seen,
        records,
        run.fed.made_up,
        tested,
        by_test,
        tested_constant,
        ends(run),
        _ends_at_zero(run),
    )


def _ends_at_zero(run: Run) -> bool:
    compared = [layer for layer in run.loss_layers if len(layer.bottoms) > 1]
    return all(layer.is_distance or layer.reads_classes(1) for layer in compared)


def beats_constant(run: Run) -> bool:
    """Did the loss fall below what the best answer gives that does not depend on the input, where that is known?"""
    how = outcome(run) if run.iterations else None
    return how is not None and how.learns and not math.isnan(how.constant)


def _tested(run: Run) -> tuple[float, float]:
    """The least loss of a TEST net, and that of the best constant answer there."""
    if run.synthetic or run.fed.made_up or any(layer.keeps_statistics for net in run.built for layer in net.layers):
        return math.nan, math.nan
    if any(answers_well(run, one) for one in run.all(Tested)):
        return math.nan, math.nan  # a loss that a few answers make says little
    return least_tested(run)


def tests_well(run: Run) -> bool:
    """Is TEST, as it was run, far better than the best answer that is always the same, by its loss or its accuracy?"""
    loss, constant = least_tested(run)
    return loss < WELL * constant or any(answers_well(run, one) for one in run.all(Tested) if not one.same_batch)


def answers_well(run: Run, event: Tested) -> bool:
    """Are most answers of a TEST net right, where no label is a frequent one, whatever a few that are far off cost?"""
    for layer in run.built[event.net].layers if 0 <= event.net < len(run.built) else ():
        shape = layer.bottoms[0].shape if layer.bottoms else None
        if shape is None or layer.type != "Accuracy" or layer.parameters.top_k > 1 or not layer.tops:
            continue
        classes = shape[layer.class_axis % len(shape)] if shape else 0
        asked = layer.bottoms[1].original.name if len(layer.bottoms) > 1 else ""
        spread = max((one.entropy for one in run.all(Targets) if one.name == asked), default=0.0)
        if (
            classes > 1
            and spread > _EVEN * math.log(classes)
            and event.outputs.get(layer.tops[0].name, 0.0) > (1 + 1 / classes) / 2
        ):
            return True
    return False


def least_tested(run: Run) -> tuple[float, float]:
    """The same, whatever statistics the net keeps."""
    least = min((one for one in run.all(Tested) if not one.same_batch), key=lambda one: one.loss, default=None)
    return (least.loss, best_constant(run, least.net)) if least is not None else (math.nan, math.nan)


def _moves(values: list[float], constant: float, last: float) -> str:
    if not all(map(math.isfinite, values)):
        return UNSTEADY
    first, tail = median(values[:TAIL]), median(values[-TAIL:])
    noise = _BEYOND * pstdev(values[len(values) // 2 :])
    if max(values) > _PEAK * abs(values[0]) + 1:
        return UNSTEADY
    if falls(first, tail) and first - tail > noise:
        return ABOVE if last >= constant else FALLS
    return FLAT if math.isclose(values[0], values[-1], rel_tol=1 - FELL) else UNSTEADY
