from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import LogEvidence, LogRule
from caffelint.lint import ERROR, Cause, Finding, Invalid

from ._example import NET, SOLVER, SOUND, losses
from ._words import number


class LossBelowZero(LogRule):
    """A loss that cannot be below 0 is.

    ## Why is this bad?
    Its labels or targets are not what it expects: a SigmoidCrossEntropyLoss takes 0 to 1, and with 0 and 255 it falls
    without end while the net learns nothing; labels that are no class make other losses read beside their memory.

    ## References
    - sigmoid_cross_entropy_loss_layer.cpp, Forward_cpu
    """

    code = "T116"
    name = "loss-below-zero"
    severity = ERROR
    _SIGMOID = NET.replace("SoftmaxWithLoss", "SigmoidCrossEntropyLoss").replace("dim: 8 }", "dim: 8 dim: 10 }")
    VALID = [SOUND, SOLVER + _SIGMOID + losses([2.3, 1.2, 0.1])]
    INVALID = [
        Invalid(
            SOLVER + _SIGMOID + losses([13.5, -49.6, -300]),
            span="I1122 13:11:01.00 17644 solver.cpp:258]     Train net output #0: loss = -49.6 (* 1 = -49.6 loss)",
            message='the loss of "loss" is -49.6, but with valid labels it is never below 0; bring its labels or'
            " targets into the range that it takes, which is 0 to 1 for cross entropy",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            found = log.beginning(run).below_zero()
            if found is None:
                continue
            what = f'the loss of "{found.layer}" is {number(found.value)}, but with valid labels it is never below 0'
            why = "bring its labels or targets into the range that it takes, which is 0 to 1 for cross entropy"
            at = log.at(found.line, found.layer)
            yield self.finding(at, f"{what}; {why}", cause=Cause("labels", what, why))
