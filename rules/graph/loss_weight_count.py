from __future__ import annotations

from caffelint.lint import ERROR, UNSAFE, Fix, Invalid, Kind, RefusalRule, Refused, fix, remove_from


class LossWeightCount(RefusalRule):
    """`loss_weight` is not set once for each top.

    ## Why is this bad?
    The field must be left out or set once for each top; otherwise Caffe stops. A SoftmaxWithLoss with
    `loss_weight` cannot have a second top for the probabilities at all, since its inner Softmax meets the same check.

    ## Example
    ```
    layer { name: "loss" type: "HingeLoss" bottom: "ip" bottom: "label" top: "loss" loss_weight: 1 loss_weight: 0 }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "HingeLoss" bottom: "ip" bottom: "label" top: "loss" loss_weight: 1 }
    ```

    ## Known problems
    Silent about nets with layers or fields of a fork.

    ## Fix safety
    Unsafe: the weights of the first tops are kept, which may not be the intended ones.

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
            message='EuclideanLoss "loss": loss_weight is set 2 times for 1 top; set it for each top, or not at all',
            fixed=(
                'layer { name: "data" type: "Input" top: "ip" top: "label" input_param { shape { dim: 2 dim: 3 } '
                'shape { dim: 2 dim: 3 } } } layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: '
                '"label" top: "loss" loss_weight: 1 }'
            ),
        ),
        Invalid(
            'layer { name: "data" type: "Input" top: "ip" top: "label"\n'
            "  input_param { shape { dim: 2 dim: 3 } shape { dim: 2 dim: 3 } } }\n"
            'layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" top: "loss"\n'
            "  loss_weight: 1 loss_weight: 2\n  loss_weight: 3 loss_weight: 4\n}",
            span="loss_weight: 2",
            message='EuclideanLoss "loss": loss_weight is set 4 times for 1 top; set it for each top, or not at all',
            fixed='layer { name: "data" type: "Input" top: "ip" top: "label"\n'
            "  input_param { shape { dim: 2 dim: 3 } shape { dim: 2 dim: 3 } } }\n"
            'layer { name: "loss" type: "EuclideanLoss" bottom: "ip" bottom: "label" top: "loss"\n'
            "  loss_weight: 1\n}",
        ),
    ]

    def fixes(self, refused: Refused) -> tuple[Fix, ...]:
        """Remove those beyond the tops; which are missing cannot be known."""
        edits = [remove_from(layer, "loss_weight", len(layer.tops)) for layer in refused.layers]
        return fix("keep one loss_weight for each top", UNSAFE, *edits)
