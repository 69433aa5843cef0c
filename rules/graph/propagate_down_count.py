from __future__ import annotations

from caffelint.lint import ERROR, SAFE, Fix, Invalid, Kind, RefusalRule, Refused, fix, remove


class PropagateDownCount(RefusalRule):
    """`propagate_down` is not set once for each bottom.

    ## Why is this bad?
    The field must be left out or set once for each bottom; otherwise Caffe stops.

    ## Example
    ```
    layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" propagate_down: true }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" propagate_down: true propagate_down: false }
    ```

    ## Fix safety
    Safe where every value is `true`: Caffe refuses the net, and without the field a gradient goes wherever it is
    needed. Otherwise there is no fix.

    ## References
    - net.cpp, Init
    """

    code = "G015"
    name = "propagate-down-count"
    severity = ERROR
    claims = (Kind.PROPAGATE_DOWN_COUNT,)
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
            message='EuclideanLoss "loss": propagate_down is set 1 time for 2 bottoms; set it for each bottom, or not'
            " at all",
            fixed=(
                'layer { name: "data" type: "Input" top: "ip" top: "label" } layer { name: "loss" type: '
                '"EuclideanLoss" bottom: "ip" bottom: "label" }'
            ),
        ),
    ]

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        if not all(all(layer.message.propagate_down) for layer in refused.layers):
            return ()
        return fix("remove propagate_down", SAFE, *(remove(layer, "propagate_down") for layer in refused.layers))
