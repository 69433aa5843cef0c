from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.log.rule import BACKWARD, FORWARD, LogEvidence, LogRule, Measured, Pass
from caffelint.lint import ERROR, LIKELY, WARNING, Cause, Finding, Invalid

from ._example import SOUND, losses
from ._words import joined, measured, see

_AT = "I0428 10:34:10.71  2335 net.cpp:663]     "
_FINE = _AT + "[Forward] Layer data, top blob data data: 0.34\n" + _AT + "[Forward] Layer log, top blob log data: 1.2\n"
_BAD = _FINE + _AT + "[Forward] Layer root, top blob root data: nan\n"
_ZERO = (
    _AT
    + "[Backward] Layer loss, bottom blob fc2 diff: 0.0312\n"
    + _AT
    + "[Backward] Layer fc2, bottom blob fc1 diff: 0\n"
)


class BlobNotFinite(LogRule):
    """`debug_info` shows the layer whose values are nan or infinite first, and no loss in the log says so.

    ## Why is this bad?
    All that is computed from it is nan as well, and so are the weights after the update. If the layer's own parameters
    are nan in the forward pass already, an earlier update broke them; else the layer makes it of finite values.

    ## References
    - net.cpp, ForwardDebugInfo, BackwardDebugInfo, UpdateDebugInfo
    """

    code = "T112"
    name = "blob-not-finite"
    severity = ERROR
    VALID = [SOUND, _FINE]
    INVALID = [
        Invalid(
            _BAD,
            span="I0428 10:34:10.71  2335 net.cpp:663]     [Forward] Layer root, top blob root data: nan",
            message='in the forward pass top "root" of layer "root" is nan; it is the first one that debug_info shows',
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            if log.bad_first(run):
                continue
            for one in run.passes:
                bad = one.first_bad()
                if bad is None:
                    continue
                what = f"{measured(bad)}; it is the first one that debug_info shows"
                broken = any(
                    other.layer == bad.layer and other.what == "param" and not math.isfinite(other.value)
                    for other in one.lines
                    if other.way == FORWARD
                )
                why = "its parameters are nan already, so an earlier update broke them" if broken else ""
                known = log.known(run, bad.layer)
                yield self.finding(
                    log.at(bad.line, bad.layer),
                    what,
                    evidence=joined(why, see(known)),
                    cause=Cause("layer", what, why, known=known),
                )
                break


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
    VALID = [SOUND, _FINE]
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
