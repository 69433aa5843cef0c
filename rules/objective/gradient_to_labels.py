from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    ERROR,
    SAFE,
    TRAIN,
    UNSAFE,
    Finding,
    Fix,
    Invalid,
    Layer,
    LayerRule,
    Related,
    fix,
    quoted,
    source,
    title,
    write,
)
from caffelint.lint.built import Loss, types_that

from ._graph import keeps_classes


class GradientToLabels(LayerRule):
    """A loss would have to pass a gradient to its labels, so Caffe stops at the first backward pass.

    ## Why is this bad?
    The labels of SoftmaxWithLoss, SigmoidCrossEntropyLoss, HingeLoss, InfogainLoss and MultinomialLogisticLoss get no
    gradient. If they come from a layer that learns, or `propagate_down: true` asks for it, Caffe loads the net, runs
    the forward pass, and stops at the first backward pass. Often the two bottoms are in the wrong order.

    ## Example
    ```
    layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "pred" bottom: "teacher_pred" top: "loss" }
    ```
    Use instead:
    ```
    layer {
      name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "pred" bottom: "teacher_pred" top: "loss"
      propagate_down: true propagate_down: false
    }
    ```

    ## Fix safety
    Safe for `propagate_down`, which must be false for labels: Caffe stops at the first backward pass otherwise.
    Swapping the bottoms is unsafe, since it is a guess.

    ## References
    - net.cpp, Init (bottom_need_backward); softmax_loss_layer.cpp, Backward_cpu
    """

    code = "O013"
    name = "gradient-to-labels"
    severity = ERROR
    layer_types = types_that(lambda kind: issubclass(kind, Loss) and not kind.fork and kind.differentiable == {0})
    VALID = [
        'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" }',
        # EuclideanLoss passes it on to both.
        'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" }'
        ' layer { name: "loss" type: "EuclideanLoss" bottom: "y" bottom: "fc" }',
        'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" }'
        ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "y" bottom: "fc"'
        " propagate_down: true propagate_down: false }",
        # A teacher that does not learn.
        'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" param { lr_mult: 0 } param { lr_mult: 0 } }'
        ' layer { name: "loss" type: "SigmoidCrossEntropyLoss" bottom: "y" bottom: "fc" }',
    ]
    INVALID = [
        Invalid(
            'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "label" bottom: "fc" }',
            span='bottom: "fc"',
            message='SoftmaxWithLoss "loss" gets its labels from InnerProduct "fc", which learns, but labels get no'
            " gradient, so Caffe stops at the first backward pass; the bottoms may be in the wrong order",
            fixed=(
                'layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" } layer { name: "loss" type: '
                '"SoftmaxWithLoss" bottom: "fc" bottom: "label" }'
            ),
        ),
        Invalid(
            'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label"'
            " propagate_down: true propagate_down: true }",
            span="propagate_down: true",
            message='SoftmaxWithLoss "loss": propagate_down: true asks for a gradient of the labels, which'
            " SoftmaxWithLoss"
            " lacks, so Caffe stops; set the second propagate_down: false",
            fixed=(
                'layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" propagate_down: true '
                "propagate_down: false }"
            ),
        ),
        Invalid(
            'layer { name: "data" type: "Data" top: "x" top: "label" }'
            ' layer { name: "fc" type: "InnerProduct" bottom: "x" top: "fc" }'
            ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "label" bottom: "fc"'
            " propagate_down: true propagate_down: false }",
            span='bottom: "fc"',
            message='SoftmaxWithLoss "loss" gets its labels from InnerProduct "fc", which learns, and its scores from'
            " nothing that does, so it trains nothing; the bottoms may be in the wrong order",
            fixed=(
                'layer { name: "data" type: "Data" top: "x" top: "label" } layer { name: "fc" type: "InnerProduct"'
                ' bottom: "x" top: "fc" } layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label"'
                " propagate_down: true propagate_down: false }"
            ),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if TRAIN not in layer.phases or len(layer.bottoms) < 2:
            return
        evidence = f"Caffe stops with: {layer.type} Layer cannot backpropagate to label inputs."
        wanted = layer.message.propagate_down
        if len(wanted) > 1:
            if wanted[1]:
                yield self.finding(
                    layer.at("propagate_down", 1),
                    f"{title(layer)}: propagate_down: true asks for a gradient of the labels, which {layer.type}"
                    " lacks, so"
                    " Caffe stops; set the second propagate_down: false",
                    evidence=evidence,
                    fixes=fix(
                        "set the second propagate_down: false", SAFE, write(layer, "propagate_down", 1, value="false")
                    ),
                )
                return
        made = source(layer, 1, TRAIN, _passes_gradient)
        if made is None or not made.layer.kind.shaped_by or not _learns(made.layer):
            return
        if len(wanted) > 1:
            swapped = _swapped(layer) if _learns_nothing(layer) else ()
            if swapped:
                yield self.finding(
                    layer.at("bottom", 1),
                    f"{title(layer)} gets its labels from {title(made.layer)}, which learns, and its scores from"
                    " nothing that does, so it trains nothing; the bottoms may be in the wrong order",
                    related=(Related("what makes the labels", made.layer.at("type")),),
                    fixes=swapped,
                )
            return
        yield self.finding(
            layer.at("bottom", 1),
            f"{title(layer)} gets its labels from {title(made.layer)}, which learns, but labels"
            " get no gradient, so Caffe stops at the first backward pass; the bottoms may be in the wrong order",
            evidence=evidence,
            related=(Related("what makes the labels", made.layer.at("type")),),
            fixes=_swapped(layer),
        )


def _passes_gradient(layer: Layer) -> bool:
    return keeps_classes(layer) and bool(layer.kind.passes_gradient(0))


def _swapped(layer: Layer) -> tuple[Fix, ...]:
    """The first two bottoms in the other order, unless the first is learned too."""
    scores = source(layer, 0, TRAIN, _passes_gradient)
    if scores is not None and scores.layer.kind.shaped_by:
        return ()
    first, second = (quoted(name) for name in layer.bottoms[:2])
    return fix(
        "swap the bottoms", UNSAFE, write(layer, "bottom", 0, value=second), write(layer, "bottom", 1, value=first)
    )


def _learns_nothing(layer: Layer) -> bool:
    """Are the scores of a loss made of data alone?"""
    built = next((one.layers for one in layer.net.states() if one.phase == TRAIN and one.is_wired), ())
    loss = next((one for one in built if one.index == layer.index), None)
    return loss is not None and bool(loss.bottoms) and not loss.bottoms[0].need_backward


def _learns(layer: Layer) -> bool:
    """Whether a layer's weights or bias have an lr_mult other than 0."""
    params = layer.message.param
    blobs = 2 if layer.kind.parameters.bias_term else 1
    return len(params) < blobs or any(param.lr_mult != 0 for param in params)
