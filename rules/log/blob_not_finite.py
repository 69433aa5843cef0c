from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.evidence.log.rule import FORWARD, LogEvidence, LogRule
from caffelint.lint import ERROR, Cause, Finding, Invalid

from ._example import AT, FINE, SOUND
from ._words import joined, measured, see

_BAD = FINE + AT + "[Forward] Layer root, top blob root data: nan\n"


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
    VALID = [SOUND, FINE]
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
