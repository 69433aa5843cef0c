from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import TEST, LogEvidence, LogRule, constant
from caffelint.lint import LIKELY, WARNING, Finding, Invalid

from ._example import SOUND, with_tests
from ._words import called, number


class AccuracyStuck(LogRule):
    """A test net gives exactly the same accuracy in every test.

    ## Why is this bad?
    It gives every image the same class: the weights are nan, the net is dead, or it is tested on one label. Caffe's
    Accuracy counts a nan as right where it stands first, so that it may even look good.

    ## References
    - accuracy_layer.cpp, Forward_cpu
    """

    code = "T107"
    name = "accuracy-stuck"
    severity = WARNING
    certainty = LIKELY
    VALID = [SOUND, with_tests([0.1, 0.3, 0.5, 0.6, 0.7, 0.8], "accuracy", False)]
    INVALID = [
        Invalid(
            with_tests([0.1, 0.1, 0.1, 0.1, 0.1, 0.1], "accuracy", False),
            span="I1122 13:11:00.00 17644 solver.cpp:414]     Test net output #0: accuracy = 0.1",
            message='test output "accuracy" is 0.1 in each of 6 tests, so the net gives the same answer whatever it'
            " sees",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            for series in run.outputs(TEST):
                value = constant(series)
                if value is None or not 0 < value < 1 or series.weight is not None:
                    continue
                what = f"{called(series)} is {number(value)} in each of {series.count} tests, so the net gives the same"
                yield self.finding(log.at(series.points[0].line), f"{what} answer whatever it sees")
                break
