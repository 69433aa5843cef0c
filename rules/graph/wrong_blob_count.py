from __future__ import annotations

from caffelint.lint import ERROR, Invalid, Kind, RefusalRule


class WrongBlobCount(RefusalRule):
    """A layer has more or fewer bottoms or tops than its type takes.

    ## Why is this bad?
    Caffe checks the counts when it builds the layer, and aborts. The usual reasons are a loss without its
    label and a layer without its top.

    ## Example
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" top: "loss" }
    ```

    ## Known problems
    Silent about nets with layers or fields of a fork: forks have given BVLC's layers more bottoms and tops.

    ## References
    - layer.hpp, CheckBlobCounts
    """

    code = "G003"
    name = "wrong-blob-count"
    severity = ERROR
    claims = (
        Kind.BOTTOM_COUNT,
        Kind.TOP_COUNT,
    )
    VALID = [
        'layer { name: "data" type: "Input" top: "ip" top: "label" }'
        ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" bottom: "label" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "ip" }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "ip" top: "loss" }'
            ' layer { name: "relu" type: "ReLU" bottom: "ip" }',
            span=('bottom: "ip"', 'type: "ReLU"'),
            message=(
                'SoftmaxWithLoss "loss": 1 bottom is given but SoftmaxWithLoss takes 2; add 1 bottom',
                'ReLU "relu": 0 tops are given but ReLU produces 1; add 1 top',
            ),
        ),
    ]
