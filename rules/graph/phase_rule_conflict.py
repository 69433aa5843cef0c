from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Net, NetRule

from ._refusals import findings


class PhaseRuleConflict(NetRule):
    """A layer has `include` and `exclude` rules.

    ## Why is this bad?
    A layer is either left out unless a rule lets it in, or let in unless a rule leaves it out. With both kinds Caffe
    ends its process.

    ## Example
    ```
    layer { name: "top1" type: "Accuracy" include { phase: TEST } exclude { stage: "quick" } }
    ```
    Use instead:
    ```
    layer { name: "top1" type: "Accuracy" include { phase: TEST not_stage: "quick" } }
    ```

    ## References
    - net.cpp, FilterNet
    """

    code = "G012"
    name = "phase-rule-conflict"
    severity = ERROR
    VALID = ['layer { name: "data" type: "Input" top: "data" include { phase: TEST } include { phase: TRAIN } }']
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "data" include { phase: TEST } exclude { phase: TRAIN } }',
            span="exclude",
            message="include and exclude are both given; keep one kind",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        yield from findings(self, net)
