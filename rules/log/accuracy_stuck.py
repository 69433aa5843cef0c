from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.log.rule import FLAT, TEST, LogEvidence, LogRule, constant
from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid

from ._example import SOUND, with_tests
from ._suspects import Explained, explained
from ._words import called, joined, number


class AccuracyStuck(LogRule):
    """A test net gives exactly the same accuracy, or the same loss, in every test.

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
                if value is None or not math.isfinite(value) or value == 0 or (value >= 1 and series.weight is None):
                    continue
                what = f"{called(series)} is {number(value)} in each of {series.count} tests, so "
                what += (
                    "nothing that it is made of changes"
                    if series.weight
                    else "the net gives the same answer whatever it sees"
                )
                most = explained(log, run, (FLAT,)) if series.weight and not run.restored else Explained()
                cause = Cause(most.kind, what, most.most, LIKELY, known=most.known) if most.most else None
                at = log.at(series.points[0].line)
                yield self.finding(at, joined(what, most.most), evidence=most.others, cause=cause)
                break
