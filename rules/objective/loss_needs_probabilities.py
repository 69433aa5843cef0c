from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, UNSAFE, Finding, Invalid, Layer, LayerRule, fix, sources, title, write
from caffelint.lint.built import UNKNOWN, Values

from ._graph import only


class LossNeedsProbabilities(LayerRule):
    """MultinomialLogisticLoss takes the logarithm of its bottom as it is, and gets raw scores.

    ## Why is this bad?
    Where the score of the right class is 0 or negative, Caffe clamps it to 1e-20: the loss is 46.05 there, whatever
    the score, and the gradient 1e20, so that the first update makes the weights infinite or nan. Where the score
    is above 1, the loss is negative.

    ## Example
    ```
    layer { name: "loss" type: "MultinomialLogisticLoss" bottom: "fc8" bottom: "label" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc8" bottom: "label" top: "loss" }
    ```

    ## Fix safety
    Unsafe: the loss function changes.

    ## References
    - multinomial_logistic_loss_layer.cpp, Forward_cpu and Backward_cpu
    """

    code = "O004"
    name = "loss-needs-probabilities"
    severity = ERROR
    risks_nan = True
    layer_types = ("MultinomialLogisticLoss",)
    VALID = [
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }'
        ' layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }'
        ' layer { name: "loss" type: "MultinomialLogisticLoss" bottom: "prob" bottom: "label" top: "loss" }',
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }'
        ' layer { name: "prob" type: "Softmax" bottom: "fc" top: "fc" }'
        ' layer { name: "loss" type: "MultinomialLogisticLoss" bottom: "fc" bottom: "label" top: "loss" }',
        # The mean over a map of probabilities is one.
        'layer { name: "prob" type: "Softmax" bottom: "conv" top: "prob" }'
        ' layer { name: "pool" type: "Pooling" bottom: "prob" top: "pool" }'
        ' layer { name: "loss" type: "MultinomialLogisticLoss" bottom: "pool" bottom: "label" top: "loss" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "fc8" type: "InnerProduct" bottom: "data" top: "fc8" }'
            ' layer { name: "loss" type: "MultinomialLogisticLoss" bottom: "fc8" bottom: "label" top: "loss" }',
            span='bottom: "fc8"',
            message='MultinomialLogisticLoss "loss" needs probabilities but InnerProduct "fc8" makes none; use'
            " SoftmaxWithLoss, or put a Softmax between them",
            fixed=(
                'layer { name: "fc8" type: "InnerProduct" bottom: "data" top: "fc8" } layer { name: "loss" type: '
                '"SoftmaxWithLoss" bottom: "fc8" bottom: "label" top: "loss" }'
            ),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for (made_by, _), phases in sources(layer, 0):
            if _reaches_zero(made_by):
                yield self.finding(
                    layer.at("bottom"),
                    f"{title(layer)} needs probabilities but {title(made_by)} makes none;"
                    " use SoftmaxWithLoss, or put a Softmax between them",
                    evidence="a score of 0 or below counts as 1e-20: its loss is 46.05 and its gradient 1e20",
                    phases=only(phases, layer),
                    fixes=fix("use SoftmaxWithLoss", UNSAFE, write(layer, "type", value='"SoftmaxWithLoss"')),
                )


def _reaches_zero(layer: Layer) -> bool:
    """Does it give values of 0 or below, as no probability is?"""
    kind = layer.kind
    bend = kind.rectifies or kind.is_activation and kind.values([UNKNOWN, UNKNOWN])[:1] != [Values(0, 1)]
    return bool(kind.has_weights or kind.normalises or bend)
