from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import BACKWARD, LogEvidence, LogRule, Measured, Pass
from caffelint.lint import LIKELY, WARNING, Finding, Invalid

from ._example import AT, FINE, SOUND, losses
from ._words import measured, see

_ZERO = (
    AT
    + "[Backward] Layer loss, bottom blob fc2 diff: 0.0312\n"
    + AT
    + "[Backward] Layer fc2, bottom blob fc1 diff: 0\n"
)


class GradientIsZero(LogRule):
    """`debug_info` shows a gradient that is exactly 0 in the backward pass.

    ## Why is this bad?
    No layer before it learns. The units are dead (a ReLU whose inputs are all below 0), a layer passes no gradient, the
    weights above are 0, or the values are so small that the gradient underflows.

    ## References
    - net.cpp, BackwardDebugInfo
    """

    code = "T113"
    name = "gradient-is-zero"
    severity = WARNING
    certainty = LIKELY
    VALID = [SOUND, FINE]
    INVALID = [
        Invalid(
            _ZERO + losses([2.3]),
            span="I0428 10:34:10.71  2335 net.cpp:663]     [Backward] Layer fc2, bottom blob fc1 diff: 0",
            message='in the backward pass the gradient of bottom "fc1" of layer "fc2" is 0, so no layer'
            " before it learns",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            zero = next((one for passed in run.passes if (one := _zero(passed)) is not None), None)
            if zero is None or log.bad_first(run) or any(one.first_bad() for one in run.passes):
                continue
            yield self.finding(
                log.at(zero.line, zero.layer),
                f"{measured(zero)}, so no layer before it learns",
                evidence=see(log.known(run, zero.layer)),
            )


def _zero(one: Pass) -> Measured | None:
    """The first gradient of a blob that is 0."""
    found = (line for line in one.lines if line.way == BACKWARD and line.what == "bottom")
    return next((line for line in found if line.value == 0), None)
