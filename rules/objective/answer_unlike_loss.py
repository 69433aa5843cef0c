from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Layer, LayerRule, Net, Related, source, title
from caffelint.lint.built import types_that


def _net(loss: str, answer: str) -> str:
    return (
        'layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 4 } }'
        f' layer {{ name: "loss" type: "{loss}" bottom: "fc" bottom: "label" top: "loss" include {{ phase: TRAIN }} }}'
        f' layer {{ name: "prob" type: "{answer}" bottom: "fc" top: "prob" include {{ phase: TEST }} }}'
    )


class AnswerUnlikeLoss(LayerRule):
    """The layer that turns scores into answers is not the one that their loss has inside.

    ## Why is this bad?
    SoftmaxWithLoss trains scores for a Softmax, where only their differences count, and SigmoidCrossEntropyLoss each
    for a Sigmoid. After the other one the order of the answers stays, but their values, and any threshold for them,
    mean nothing.

    ## Example
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
    layer { name: "prob" type: "Sigmoid" bottom: "fc" top: "prob" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
    layer { name: "prob" type: "Softmax" bottom: "fc" top: "prob" }
    ```

    ## References
    - softmax_loss_layer.cpp and sigmoid_cross_entropy_loss_layer.cpp, Forward_cpu
    """

    code = "O018"
    name = "answer-unlike-loss"
    severity = WARNING
    certainty = LIKELY
    layer_types = types_that(lambda kind: bool(types_that(lambda loss: loss.plain_form in kind.types)))
    VALID = [
        _net("SoftmaxWithLoss", answer="Softmax"),
        _net("SigmoidCrossEntropyLoss", answer="Sigmoid"),
        # Trained for both.
        _net("SoftmaxWithLoss", answer="Sigmoid")
        + ' layer { name: "each" type: "SigmoidCrossEntropyLoss" bottom: "fc" bottom: "label" top: "each" }',
        # No answer, but a gate.
        _net("SoftmaxWithLoss", answer="Sigmoid")
        + ' layer { name: "gate" type: "Eltwise" bottom: "prob" bottom: "data" top: "gate" }',
    ]
    INVALID = [
        Invalid(
            _net("SoftmaxWithLoss", answer="Sigmoid"),
            span='type: "Sigmoid"',
            message='Sigmoid "prob" turns "fc" into answers, but SoftmaxWithLoss "loss" trains it for Softmax, so their'
            ' values mean nothing; write type: "Softmax"',
        ),
        Invalid(
            _net("SigmoidCrossEntropyLoss", answer="Softmax"),
            span='type: "Softmax"',
            message='Softmax "prob" turns "fc" into answers, but SigmoidCrossEntropyLoss "loss" trains it for Sigmoid,'
            ' so their values mean nothing; write type: "Sigmoid"',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        net = layer.net
        if layer.in_place or len(layer.bottoms) != 1 or not layer.phases:
            return
        if not net.once(_read).isdisjoint(layer.tops):
            return
        scores = source(layer, 0, layer.phases[0])
        losses = net.once(_losses).get((scores.layer.index, scores.top)) if scores else None
        if losses and layer.type not in losses:
            loss = next(iter(losses.values()))
            yield self.finding(
                layer.at("type"),
                f'{title(layer)} turns "{layer.bottoms[0]}" into answers, but {title(loss)} trains it for'
                f' {loss.kind.plain_form}, so their values mean nothing; write type: "{loss.kind.plain_form}"',
                related=(Related("the loss", loss.at("type")),),
            )


def _read(net: Net) -> set[str]:
    return {blob for layer in net.layers for blob in layer.bottoms}


def _losses(net: Net) -> dict[tuple[int, int], dict[str, Layer]]:
    """The first loss of each plain form, by what makes their scores: a layer and the number of its top."""
    found: dict[tuple[int, int], dict[str, Layer]] = {}
    for loss in net.layers_that(lambda kind: bool(kind.plain_form)):
        form = loss.kind.plain_form or ""
        ways = [scores for phase in loss.phases if (scores := source(loss, 0, phase))]
        for made in {(scores.layer.index, scores.top) for scores in ways}:
            found.setdefault(made, {}).setdefault(form, loss)
    return found
