from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import LogEvidence, LogRule, vanishes, whole_chance
from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid

from ._example import NET, SOLVER, SOUND, losses
from ._words import called


class LossVanishes(LogRule):
    """The loss of a classifier is 0 within its first 100 iterations, and stays so.

    ## Why is this bad?
    No net learns real classes that fast. All labels are the same, as where a conversion lost them, or the input holds
    the label. The accuracy is 1, and the net answers the same for every image.
    """

    code = "T118"
    name = "loss-vanishes"
    severity = WARNING
    certainty = LIKELY
    VALID = [SOUND, SOLVER + NET + losses([2.3, *[1e-4] * 12])]
    INVALID = [
        Invalid(
            SOLVER + NET + losses([2.3, 0.4, *[1e-8] * 12]),
            span="I1122 13:11:02.00 17644 solver.cpp:239] Iteration 20, loss = 1e-08",
            message="the loss is 0 from iteration 20 on, sooner than any net learns: all labels are the same, or the"
            " input holds the label; `caffelint data` shows the labels",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            loss = run.loss
            since = vanishes(loss, whole_chance(run, log.recovered(run))) if loss and not run.weights else None
            if loss is None or since is None:
                continue
            what = f"{called(loss)} is 0 from iteration {since.iteration} on, sooner than any net learns"
            why = "all labels are the same, or the input holds the label; `caffelint data` shows the labels"
            yield self.finding(log.at(since.line), f"{what}: {why}", cause=Cause("labels", what, why, LIKELY))
