from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import JUMPS, STEPS, STOPPED, LogEvidence, LogRule, trend
from caffelint.lint import INFO, LIKELY, WARNING, Finding, Invalid

from ._example import FALLING, SOUND, losses
from ._words import back_to, called, joined, number, rate_there


class LossStopsFalling(LogRule):
    """The loss fell at first, and has not for the second half of the run, jumps about there, or jumped and stayed high.

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
        Invalid(
            losses([*FALLING, *([0.2] * 20), *([0.9] * 20)]),
            span="I1122 13:11:40.00 17644 solver.cpp:239] Iteration 400, loss = 0.9",
            message="the loss jumps from 0.2 to 0.9 in iteration 400 and stays there; the rate is 0.1 there",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            loss = run.loss
            found = trend(loss, None) if loss and not log.bad_first(run) and not loss.clamped else None
            if loss is None or found is None or found.kind not in (STEPS, STOPPED, JUMPS):
                continue
            rate = rate_there(log, run, found.since.iteration)
            if found.kind == STEPS:
                what = f"{called(loss)} jumps from {number(found.first)} to {number(found.last)} in iteration"
                what += f" {found.since.iteration} and stays there"
                back = back_to(log, run, found.since.iteration)
                yield self.finding(log.at(found.since.line), joined(what, rate), evidence=back, severity=WARNING)
                continue
            if found.kind == STOPPED:
                what = f"{called(loss)} stays at {number(found.last)} from iteration {found.since.iteration} on"
            else:
                what = f"{called(loss)} jumps between {number(found.first)} and {number(found.last)}"
                what += f" from iteration {found.since.iteration} on"
            yield self.finding(log.at(found.since.line), joined(what, rate))
