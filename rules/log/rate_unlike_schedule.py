from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import LogEvidence, LogRule
from caffelint.lint import WARNING, Finding, Invalid

from ._example import FALLING, NET, SOLVER, SOUND, losses
from ._words import joined

_NEAR = 0.01
"""Of the rate: some forks print that of the display before."""


class RateUnlikeSchedule(LogRule):
    """The log prints another rate than the schedule of the solver gives that it prints as well.

    ## Why is this bad?
    The Caffe that ran computes rates in another way (a fork's own policy, a rate that was scaled by the number of
    GPUs), or the run was resumed from a state of another schedule: what the solver says is not what was trained with.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "T108"
    name = "rate-unlike-schedule"
    severity = WARNING
    VALID = [SOUND]
    INVALID = [
        Invalid(
            SOLVER + NET + losses(FALLING, rate=0.4),
            span="I1122 13:11:00.00 17644 sgd_solver.cpp:112] Iteration 0, lr = 0.4",
            message="the rate is 0.4 in iteration 0, but the schedule of the solver gives 0.1",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            rates = run.rate
            for point in rates.points if rates else ():
                wanted = log.scheduled(run, point.iteration)
                if wanted is None or abs(point.value - wanted) <= _NEAR * abs(wanted) + 1e-12:
                    continue
                what = f"the rate is {point.value:.6g} in iteration {point.iteration}"
                why = f"{what}, but the schedule of the solver gives {wanted:.6g}"
                yield self.finding(log.at(point.line), why, evidence=joined(_times(point.value, wanted)))
                break


_MOST_GPUS = 1000


def _times(rate: float, wanted: float) -> str:
    """What a whole multiple tells."""
    times = rate / wanted if wanted else 0.0
    if 1.5 < times < _MOST_GPUS and abs(times - round(times)) < 1e-3:
        return f"it is {round(times)} times as high, as where a fork scales it by the number of GPUs"
    return ""
