from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Net, NetRule

from ._refusals import findings


class PropagateDownCount(NetRule):
    """`propagate_down` is not given once for each bottom.

    ## Why is this bad?
    Caffe takes the field either not at all or once for each bottom, and ends its process otherwise.

    ## Example
    ```
    layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" propagate_down: true }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" propagate_down: true propagate_down: false }
    ```

    ## References
    - net.cpp, Init
    """

    code = "G015"
    name = "propagate-down-count"
    severity = ERROR
    VALID = [
        'layer { name: "data" type: "Input" top: "ip" top: "label" }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label"'
        " propagate_down: true propagate_down: false }",
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "ip" top: "label" }'
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" propagate_down: true }',
            span="propagate_down: true",
            message="propagate_down is given 1 times for 2 bottoms",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        yield from findings(self, net)
