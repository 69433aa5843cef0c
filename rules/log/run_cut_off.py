from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import LogEvidence, LogRule
from caffelint.lint import INFO, Finding, Invalid

from ._example import FALLING, NET, SOLVER, SOUND, losses
from ._words import back_to, joined


class RunCutOff(LogRule):
    """The log ends before the run does, and does not say why.

    ## Why is this bad?
    The run is still going on, or it was killed without a word: by a person, by the queue, for want of memory. What came
    after the last snapshot is lost then.
    """

    code = "T114"
    name = "run-cut-off"
    severity = INFO
    VALID = [SOUND, losses(FALLING)]
    INVALID = [
        Invalid(
            SOLVER + NET + losses(FALLING),
            span="max_iter: 400",
            message="the log ends in iteration 190 of 400, and does not say why",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            solver = log.recovered(run).solver
            if solver is None or run.done or run.ended or run.iteration is None or run.loss is None:
                continue
            last = solver.message.max_iter
            if run.iteration >= last:
                continue
            what = f"the log ends in iteration {run.iteration} of {last}, and does not say why"
            place = log.solver_at(run, "max_iter", run.loss.points[0].line)
            yield self.finding(place, what, evidence=joined(back_to(log, run, 2**62) if run.snapshots else ""))
