from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import WARNING, Finding, Invalid, Layer, LayerRule, Related, sources, title

from ._graph import first_alike, only, read_before


class SigmoidTwice(LayerRule):
    """SigmoidCrossEntropyLoss applies a sigmoid itself, and a Sigmoid layer comes before it.

    ## Why is this bad?
    The second sigmoid gets values between 0 and 1 and maps them to 0.5 to 0.73, so targets of 0 and 1 can never be
    reached. The loss never falls below 0.31 for each target of 1 and 0.69 for each target of 0.

    ## Example
    ```
    layer { name: "prob" type: "Sigmoid" bottom: "fc8" top: "prob" }
    layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "prob" bottom: "target" top: "loss" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc8" bottom: "target" top: "loss" }
    ```

    ## Fix safety
    Unsafe: the loss function changes. The layer whose result is no longer read stays, since
    its top may be of use elsewhere.

    ## References
    - sigmoid_cross_entropy_loss_layer.cpp, Forward_cpu
    """

    code = "O003"
    name = "sigmoid-twice"
    severity = WARNING
    layer_types = ("SigmoidCrossEntropyLoss",)
    VALID = [
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" }'
        ' layer { name: "prob" type: "Sigmoid" bottom: "fc" top: "prob" }'
        ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc" bottom: "target" top: "loss" }',
        # Probabilities are what a target may be.
        'layer { name: "prob" type: "Sigmoid" bottom: "teacher" top: "prob" }'
        ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc" bottom: "prob" top: "loss" }',
        'layer { name: "prob" type: "Sigmoid" bottom: "fc" top: "prob" }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "prob" bottom: "target" top: "loss" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "prob" type: "Sigmoid" bottom: "fc" top: "prob" }'
            ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "prob" bottom: "target" top: "loss" }',
            span='bottom: "prob"',
            message='SigmoidCrossEntropyLoss "loss" applies the sigmoid itself but its bottom is already a sigmoid;'
            ' set bottom: "fc"',
            fixed=(
                'layer { name: "prob" type: "Sigmoid" bottom: "fc" top: "prob" } layer { name: "loss" type: '
                '"SigmoidCrossEntropyLoss" bottom: "fc" bottom: "target" top: "loss" }'
            ),
        ),
        Invalid(
            'layer { name: "sigmoid" type: "Sigmoid" bottom: "fc" top: "fc" }'
            ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "fc" bottom: "target" top: "loss" }',
            span='bottom: "fc"',
            message='SigmoidCrossEntropyLoss "loss" applies the sigmoid itself but its bottom is already a sigmoid;'
            ' remove Sigmoid "sigmoid"',
            fixed=(
                'layer { name: "sigmoid" type: "Sigmoid" bottom: "fc" top: "sigmoid" } layer { name: "loss" '
                'type: "SigmoidCrossEntropyLoss" bottom: "fc" bottom: "target" top: "loss" }'
            ),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for (made_by, _), phases in sources(layer, 0):
            if made_by.type != "Sigmoid" or not made_by.bottoms:
                continue
            made_by = first_alike(made_by, phases[0])
            better = f"remove {title(made_by)}" if made_by.in_place else f'set bottom: "{made_by.bottoms[0]}"'
            yield self.finding(
                layer.at("bottom"),
                f"{title(layer)} applies the sigmoid itself but its bottom is already a sigmoid; {better}",
                evidence="the loss stays above 0.31 for each target of 1 and 0.69 for each target of 0",
                phases=only(phases, layer),
                related=(Related("the first sigmoid", made_by.at("type")),),
                fixes=read_before(layer, made_by, phases),
            )
