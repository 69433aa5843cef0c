from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, Related, sources, title
from caffelint.lint.built import UNKNOWN, types_that

from ._graph import first_alike, only, read_before

_FC = 'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }'
_RELU = ' layer { name: "relu" type: "ReLU" bottom: "fc" top: "relu" }'
_LOSS = ' layer {{ name: "loss" type: "{}" bottom: "{}" bottom: "target" top: "loss" }}'


class RectifiedScores(LayerRule):
    """A ReLU comes right before a loss that turns scores into probabilities itself.

    ## Why is this bad?
    The loss needs scores of both signs. After a ReLU, a sigmoid gives each class at least 0.5, so the loss never falls
    below 0.69 for a target of 0. A softmax can still tell classes apart, but a score that the ReLU made 0 gets no
    gradient: the class that is right cannot rise, and where all scores are 0 nothing is learned.

    ## Example
    ```
    layer { name: "relu8" type: "ReLU" bottom: "fc8" top: "fc8" }
    layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc8" bottom: "target" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc8" bottom: "target" top: "loss" }
    ```

    ## Known problems
    It is silent where the result is pooled, as in SqueezeNet, and before a distance, whose targets may be positive.

    ## Fix safety
    Unsafe: the loss function changes.

    ## References
    - relu_layer.cpp, Backward_cpu; sigmoid_cross_entropy_loss_layer.cpp and softmax_loss_layer.cpp, Forward_cpu
    """

    code = "O020"
    name = "rectified-scores"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: bool(kind.plain_form))
    VALID = [
        _FC + _RELU + _LOSS.format("SigmoidCrossEntropyLoss", "fc"),
        # Its targets may be positive.
        _FC + _RELU + _LOSS.format("EuclideanLoss", "relu"),
        # A mean of many, as in SqueezeNet.
        _FC
        + _RELU
        + ' layer { name: "pool" type: "Pooling" bottom: "relu" top: "pool" pooling_param { pool: AVE'
        + " global_pooling: true } }"
        + _LOSS.format("SoftmaxWithLoss", "pool"),
        # It passes scores below 0.
        _FC
        + _RELU.replace('top: "relu"', 'top: "relu" relu_param { negative_slope: 0.1 }')
        + _LOSS.format("SoftmaxWithLoss", "relu"),
    ]
    INVALID = [
        Invalid(
            _FC + _RELU + _LOSS.format("SigmoidCrossEntropyLoss", "relu"),
            span='bottom: "relu"',
            message='SigmoidCrossEntropyLoss "loss": ReLU "relu" lets no score fall below 0, so no probability is below'
            ' 0.5; set bottom: "fc"',
            fixed=_FC + _RELU + _LOSS.format("SigmoidCrossEntropyLoss", "fc"),
        ),
        Invalid(
            _FC + _RELU.replace('"relu" }', '"fc" }') + _LOSS.format("SoftmaxWithLoss", "fc"),
            span='bottom: "fc"',
            message='SoftmaxWithLoss "loss": ReLU "relu" lets no score fall below 0, so a class whose score is below 0'
            ' gets no gradient; remove ReLU "relu"',
            fixed=_FC + _RELU.replace('"relu" }', '"relu" }') + _LOSS.format("SoftmaxWithLoss", "fc"),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for (made_by, _), phases in sources(layer, 0):
            if not made_by.kind.rectifies or made_by.kind.values([UNKNOWN])[0].low < 0 or not made_by.bottoms:
                continue
            made_by = first_alike(made_by, phases[0])
            better = f"remove {title(made_by)}" if made_by.in_place else f'set bottom: "{made_by.bottoms[0]}"'
            so = "a class whose score is below 0 gets no gradient"
            if layer.kind.plain_form == "Sigmoid":
                so = "no probability is below 0.5"
            yield self.finding(
                layer.at("bottom", 0),
                f"{title(layer)}: {title(made_by)} lets no score fall below 0, so {so}; {better}",
                phases=only(phases, layer),
                related=(Related("the activation", made_by.at("type")),),
                fixes=read_before(layer, made_by, phases),
            )
