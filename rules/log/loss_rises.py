from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import JUMPS, RISES, STOPPED, LogEvidence, LogRule, trend, whole_chance
from caffelint.lint import ERROR, INFO, LIKELY, Cause, Finding, Invalid

from ._example import FALLING, SOUND, losses
from ._words import back_to, called, joined, number, rate_there, see


class LossRises(LogRule):
    """The loss ends at several times its lowest value, and above its start.

    ## Why is this bad?
    Updates that are too large make it grow, and sooner or later it is nan. The snapshot of the lowest loss is better
    than the last one.
    """

    code = "T104"
    name = "loss-rises"
    severity = ERROR
    certainty = LIKELY
    VALID = [SOUND]
    INVALID = [
        Invalid(
            losses([2.3, 2.1, 2.2, 2.6, 3.5, 5.0, 9.1, 14.0, 22.0, 37.0, 70.0, 130.0]),
            span="I1122 13:11:01.00 17644 solver.cpp:239] Iteration 10, loss = 2.1",
            message="the loss rises from 2.1 in iteration 10 to 100; the rate is 0.1 there; lower base_lr, or go back",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            loss = run.loss
            chance = whole_chance(run, log.recovered(run))
            found = trend(loss, chance) if loss and not log.bad_first(run) and not loss.clamped else None
            if loss is None or found is None or found.kind != RISES:
                continue
            low = found.since
            what = f"{called(loss)} rises from {number(low.value)} in iteration {low.iteration} to {number(found.last)}"
            rate = rate_there(log, run, low.iteration)
            known = log.known(run, rules=("high-base-lr", "learning-rate-grows", "unscaled-input"))
            back = back_to(log, run, low.iteration + 1)
            yield self.finding(
                log.at(low.line),
                joined(what, rate, "lower base_lr, or go back"),
                evidence=joined(back, see(known)),
                cause=Cause("rate", what, joined(rate, back), LIKELY, known=known),
            )


class LossStopsFalling(LogRule):
    """The loss fell at first, and has not for the second half of the run, or jumps about there.

    ## Why is this bad?
    It need not be: a net has learned what it can. Where the loss is higher than it should be, a lower rate from here
    on often helps (a step of the schedule, or a larger batch where it jumps).
    """

    code = "T105"
    name = "loss-stops-falling"
    severity = INFO
    certainty = LIKELY
    VALID = [SOUND]
    INVALID = [
        Invalid(
            losses([*FALLING[:10], *([0.9, 0.91, 0.9, 0.89, 0.9] * 5)]),
            span="I1122 13:11:17.00 17644 solver.cpp:239] Iteration 170, loss = 0.9",
            message="the loss stays at 0.9 from iteration 170 on; the rate is 0.1 there",
        ),
        Invalid(
            losses([*FALLING[:10], *([0.2, 3.1, 0.9, 4.0, 0.1] * 5)]),
            span="I1122 13:11:17.00 17644 solver.cpp:239] Iteration 170, loss = 0.9",
            message="the loss jumps between 0.1 and 4 from iteration 170 on; the rate is 0.1 there",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            loss = run.loss
            found = trend(loss, None) if loss and not log.bad_first(run) and not loss.clamped else None
            if loss is None or found is None or found.kind not in (STOPPED, JUMPS):
                continue
            if found.kind == STOPPED:
                what = f"{called(loss)} stays at {number(found.last)} from iteration {found.since.iteration} on"
            else:
                what = f"{called(loss)} jumps between {number(found.first)} and {number(found.last)}"
                what += f" from iteration {found.since.iteration} on"
            rate = rate_there(log, run, found.since.iteration)
            yield self.finding(log.at(found.since.line), joined(what, rate))
