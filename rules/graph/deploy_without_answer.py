from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, TEST, WARNING, Finding, Invalid, Layer, Net, NetRule, Related, quoted, source, title

from ._partner import Training, training_nets

_FORM = "Sigmoid"
"""After a Softmax the largest score is still the largest; without a Sigmoid 0.5 is no threshold."""


def _fc(name: str, bottom: str) -> str:
    return (
        f' layer {{ name: "{name}" type: "InnerProduct" bottom: "{bottom}" top: "{name}"'
        " inner_product_param { num_output: 8 } }"
    )


class DeployWithoutAnswer(NetRule):
    """A deploy net ends in scores that were trained for a Sigmoid, and has none.

    ## Why is this bad?
    SigmoidCrossEntropyLoss contains its Sigmoid, so the layer before it makes numbers of any size. A deploy net that
    ends there gives -7 or 12 where a probability is expected.

    ## Example
    `train.prototxt`:
    ```
    layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "score" bottom: "label" top: "loss" }
    ```
    and `deploy.prototxt`, which ends in `score`. Add to the latter:
    ```
    layer { name: "prob" type: "Sigmoid" bottom: "score" top: "prob" }
    ```

    ## Known problems
    The training net is recognised as for deploy-mismatch. The program that runs the net may apply the Sigmoid.

    ## References
    - sigmoid_cross_entropy_loss_layer.cpp, Forward_cpu; CLT29/OpenSALICON commit 36d4de2
    """

    code = "G035"
    name = "deploy-without-answer"
    severity = WARNING
    certainty = LIKELY
    _INPUT = 'layer { name: "data" type: "Input" top: "data" }'
    _BODY = _fc("a", "data") + _fc("b", "a") + _fc("c", "b")
    _TRAIN = (
        'layer { name: "data" type: "Data" top: "data" top: "label" }'
        + _BODY
        + ' layer { name: "loss" type: "%s" bottom: "c" bottom: "label" top: "loss" }'
    )
    _END = ' layer { name: "prob" type: "Sigmoid" bottom: "c" top: "prob" }'
    VALID = [
        {"train.prototxt": _TRAIN % "SigmoidCrossEntropyLoss", "deploy.prototxt": _INPUT + _BODY + _END},
        {"train.prototxt": _TRAIN % "SoftmaxWithLoss", "deploy.prototxt": _INPUT + _BODY},
        # Features are wanted, not answers.
        {"train.prototxt": _TRAIN % "SigmoidCrossEntropyLoss", "deploy.prototxt": _INPUT + _fc("a", "data")},
    ]
    INVALID = [
        Invalid(
            {"train.prototxt": _TRAIN % "SigmoidCrossEntropyLoss", "deploy.prototxt": _INPUT + _BODY},
            span='name: "c"',
            message='InnerProduct "c": this net ends in its scores, but SigmoidCrossEntropyLoss "loss" in'
            ' "train.prototxt" trains them for a Sigmoid, so its answers are not between 0 and 1; add a Sigmoid, unless'
            " what runs the net applies one",
        )
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        candidates = [one for one in net.once(training_nets) if one.is_close]
        scores = [_scores(one) for one in candidates]
        layers = net.in_phase(TEST) if candidates else []
        read = {blob for layer in layers for blob in layer.bottoms}
        for layer in layers:
            # Where another net trains them otherwise, this one may run with its weights.
            losses = [one[layer.name] for one in scores if layer.name in one]
            if losses and len(losses) == len(scores) and layer.kind.has_weights and read.isdisjoint(layer.tops):
                loss = losses[0]
                yield self.finding(
                    layer.at("name"),
                    f"{title(layer)}: this net ends in its scores, but {title(loss)} in"
                    f" {quoted(candidates[0].file)} trains them for a {_FORM}, so its answers are not between 0 and 1;"
                    f" add a {_FORM}, unless what runs the net applies one",
                    related=(Related("the loss", loss.at("type")),),
                )


def _scores(training: Training) -> dict[str, Layer]:
    """The losses with a Sigmoid inside, by the layer that makes their scores."""
    losses = [one for one in training.net.layers_that(lambda kind: kind.plain_form == _FORM) if one.phases]
    return {made.layer.name: loss for loss in losses if (made := source(loss, 0, loss.phases[0]))}
