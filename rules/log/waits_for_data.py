from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.log.rule import LogEvidence, LogRule
from caffelint.lint import INFO, Finding, Invalid

from ._example import FALLING, SOUND, losses

_WAITS = "I1122 13:11:00.50 17644 blocking_queue.cpp:50] Data layer prefetch queue empty\n"
_MANY = 5


class WaitsForData(LogRule):
    """Training waits for its data: the prefetch queue is empty again and again.

    ## Why is this bad?
    The GPU idles. Store the data nearer or decoded, resize it beforehand, or raise prefetch.

    ## References
    - blocking_queue.cpp, pop; base_data_layer.cpp, Forward_cpu
    """

    code = "T111"
    name = "waits-for-data"
    severity = INFO
    VALID = [SOUND, losses(FALLING) + _WAITS]
    INVALID = [
        Invalid(
            losses(FALLING) + 6 * _WAITS,
            span="I1122 13:11:00.50 17644 blocking_queue.cpp:50] Data layer prefetch queue empty",
            message="training waited for data 6 times: the prefetch queue was empty; store the data nearer, decoded or"
            " smaller, or raise prefetch",
        ),
    ]

    def check(self, log: LogEvidence) -> Iterator[Finding]:
        for run in log.runs:
            if run.starvations > _MANY:
                what = f"training waited for data {run.starvations} times: the prefetch queue was empty"
                remedy = "store the data nearer, decoded or smaller, or raise prefetch"
                yield self.finding(log.at(run.starved[0][1]), f"{what}; {remedy}")
