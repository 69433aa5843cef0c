from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, title, write
from caffelint.lint.built import BuiltLayer

_LEAST = 1e-3


class ContrastiveMarginTiny(LayerRule):
    """ContrastiveLoss with a `margin` of next to 0 lets all features collapse into one point.

    ## Why is this bad?
    A pair that differs costs `max(margin - d, 0)^2`, where d is the distance of its features, so it is pushed apart
    only until they are `margin` apart. With next to no margin, or a negative one, only pairs of the same kind count,
    and these cost nothing once all features are equal. The loss then falls to 0, as if the net had learned. Where a
    loss of another type learns from the same features, that one keeps them apart, so nothing is said.

    ## Example
    ```
    layer {
      name: "loss" type: "ContrastiveLoss" bottom: "feat" bottom: "feat_p" bottom: "sim"
      contrastive_loss_param { margin: 0.000001 }
    }
    ```
    Use instead:
    ```
    layer {
      name: "loss" type: "ContrastiveLoss" bottom: "feat" bottom: "feat_p" bottom: "sim"
      contrastive_loss_param { margin: 1 }
    }
    ```

    ## Fix safety
    Unsafe: the loss changes.

    ## References
    - contrastive_loss_layer.cpp, Forward_cpu and Backward_cpu
    - Hadsell, Chopra, LeCun: Dimensionality reduction by learning an invariant mapping, 2006
    """

    code = "O016"
    name = "contrastive-margin-tiny"
    severity = WARNING
    layer_types = ("ContrastiveLoss",)
    _WITH = (
        'layer { name: "d" type: "Input" top: "d" top: "l" top: "sim" input_param { shape { dim: 4 dim: 3 }'
        " shape { dim: 2 } shape { dim: 2 } } }"
        ' layer { name: "f" type: "InnerProduct" bottom: "d" top: "f" inner_product_param { num_output: 8 } }'
        ' layer { name: "s" type: "Slice" bottom: "f" top: "a" top: "b" slice_param { axis: 0 } }'
        ' layer { name: "c" type: "%s" bottom: "a" bottom: "l" top: "c" }'
        ' layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim"'
        " contrastive_loss_param { margin: 0 } }"
    )
    VALID = [
        'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim" }',
        'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim"'
        " contrastive_loss_param { margin: 0.05 } }",
        _WITH % "SoftmaxWithLoss",
        # Of an unknown Caffe.
        _WITH % "TripletLoss",
    ]
    INVALID = [
        Invalid(
            'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim"'
            " contrastive_loss_param { margin: 0.000001 } }",
            span="margin: 0.000001",
            message='ContrastiveLoss "loss": margin 1e-06 does not push pairs that differ apart, so all'
            " features collapse into one point; set margin: 1",
            fixed=(
                'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim" '
                "contrastive_loss_param { margin: 1 } }"
            ),
        ),
        Invalid(
            'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim"'
            " contrastive_loss_param { margin: -1 } }",
            span="margin: -1",
            message='ContrastiveLoss "loss": margin -1 does not push pairs that differ apart, so all'
            " features collapse into one point; set margin: 1",
            fixed=(
                'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim" '
                "contrastive_loss_param { margin: 1 } }"
            ),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        p = layer.message.contrastive_loss_param
        margin = p.margin
        if not margin < _LEAST or _are_held_apart(layer):
            return
        most = max(margin, 0)
        yield self.finding(
            layer.at("contrastive_loss_param", "margin"),
            f"{title(layer)}: margin {margin:g} does not push pairs that differ apart, so all features collapse into"
            " one point; set margin: 1",
            evidence=f"a pair that differs costs at most {most if p.legacy_version else most**2:.2g}",
            fixes=fix("set margin: 1", UNSAFE, write(layer, "contrastive_loss_param", "margin", value="1")),
        )


def _are_held_apart(layer: Layer) -> bool:
    """Does a loss of another type learn from the same features?"""
    for built in layer.net.states():
        makers = {one for loss in built.layers if loss.index == layer.index for one in _learned(loss)}
        for other in built.layers:
            is_loss = any(other.loss_weights) or not other.known and other.looks_like_a_loss
            if is_loss and other.type != layer.type and not makers.isdisjoint(_learned(other)):
                return True
    return False


def _learned(loss: BuiltLayer) -> Iterator[BuiltLayer]:
    """The layers that a loss trains, and those between."""
    return (maker for bottom in loss.bottoms for maker in bottom.depends_on if maker.need_backward)
