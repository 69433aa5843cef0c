from __future__ import annotations

from caffelint.lint import ERROR, UNSAFE, Fix, Invalid, Kind, RefusalRule, Refused, fix, remove


class LossWeightCount(RefusalRule):
    """`loss_weight` is not given once for each top.

    ## Why is this bad?
    Caffe takes the field either not at all or once for each top, and ends its process otherwise. A SoftmaxWithLoss
    with a second top for the probabilities cannot be had at all: its inner Softmax meets the same check.

    ## Example
    ```
    layer { name: "loss" type: "HingeLoss" bottom: "ip" bottom: "label" top: "loss" loss_weight: 1 loss_weight: 0 }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "HingeLoss" bottom: "ip" bottom: "label" top: "loss" loss_weight: 1 }
    ```

    ## Known problems
    Silent about nets that use layers or fields of a fork.

    ## Fix safety
    Unsafe: the weights of the first tops are kept, which need not be the ones that were meant.

    ## References
    - layer.hpp, SetLossWeights
    """

    code = "G016"
    name = "loss-weight-count"
    severity = ERROR
    claims = (Kind.LOSS_WEIGHT_COUNT,)
    VALID = [
        'layer { name: "data" type: "Input" top: "ip" top: "label" }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" top: "loss" loss_weight: 1 }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "data" type: "Input" top: "ip" top: "label"'
            " input_param { shape { dim: 2 dim: 3 } shape { dim: 2 dim: 3 } } }"
            ' layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" top: "loss"'
            " loss_weight: 1 loss_weight: 0 }",
            span="loss_weight: 0",
            message='EuclideanLoss "loss": loss_weight is given 2 times for 1 top',
            fixed=(
                'layer { name: "data" type: "Input" top: "ip" top: "label" input_param { shape { dim: 2 dim: 3 } '
                'shape { dim: 2 dim: 3 } } } layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: '
                '"label" top: "loss" loss_weight: 1 }'
            ),
        ),
    ]

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        """Those beyond the tops are gone; what is missing is not known."""
        edits = [
            remove(layer, "loss_weight", index)
            for layer in refused.layers
            for index in range(len(layer.tops), len(layer.message.loss_weight))
        ]
        return fix("keep one loss_weight for each top", UNSAFE, *edits)
