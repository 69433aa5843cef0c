from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import LogEvidence, LogRule, worse_tested
from caffelint.lint import LIKELY, WARNING, Finding, Invalid

from ._example import SOUND, with_tests
from ._words import called, joined, number


class TestLossRises(LogRule):
    """The test loss rises while the training loss still falls: the net learns its training data by heart.

    ## Why is this bad?
    The last snapshot is worse than an earlier one. Stop there, or give the net less room: more data or augmentation,
    weight_decay, Dropout, fewer parameters.
    """

    code = "T106"
    name = "test-loss-rises"
    severity = WARNING
    certainty = LIKELY
    VALID = [SOUND, with_tests([2.2, 1.8, 1.4, 1.2, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5])]
    INVALID = [
        Invalid(
            with_tests([2.2, 1.8, 1.4, 1.5, 1.7, 1.9, 2.1, 2.3, 2.4, 2.5]),
            span="I1122 13:11:02.00 17644 solver.cpp:414]     Test net output #0: loss = 1.4 (* 1 = 1.4 loss)",
            message='test output "loss" rises from 1.4 in iteration 50 to 2.4, while the training loss falls by 76 %;'
            " stop there, or add data, weight_decay or Dropout",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            found = None if log.bad_first(run) else worse_tested(run)
            if found is None:
                continue
            series, best, last, share = found
            what = f"{called(series)} rises from {number(best.value)} in iteration {best.iteration} to {number(last)}"
            what += f", while the training loss falls by {share:.0%}".replace("%", " %")
            snapshot = log.sound_snapshot(run, best.iteration + 1)
            near = f"the snapshot of iteration {snapshot.iteration} is nearest: {snapshot.path}" if snapshot else ""
            message = joined(what, "stop there, or add data, weight_decay or Dropout")
            yield self.finding(log.at(best.line), message, evidence=near)
