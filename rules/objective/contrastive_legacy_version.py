from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, remove, title


class ContrastiveLegacyVersion(LayerRule):
    """`legacy_version: true` makes ContrastiveLoss use a formula that was a mistake.

    ## Why is this bad?
    In the paper, the loss of a pair that differs is `max(margin - d, 0)^2`, where d is the distance. Caffe first had
    `max(margin - d^2, 0)`, and keeps it for nets that were trained with it. Its gradient vanishes as the two features
    come together, which is exactly where they must be pushed apart: pairs that have collapsed stay collapsed.

    ## Example
    ```
    layer {
      name: "loss" type: "ContrastiveLoss" bottom: "feat" bottom: "feat_p" bottom: "sim"
      contrastive_loss_param { margin: 1 legacy_version: true }
    }
    ```
    Use instead:
    ```
    layer {
      name: "loss" type: "ContrastiveLoss" bottom: "feat" bottom: "feat_p" bottom: "sim"
      contrastive_loss_param { margin: 1 legacy_version: false }
    }
    ```

    ## Fix safety
    Unsafe: the loss changes to that of the paper.

    ## References
    - contrastive_loss_layer.cpp, Forward_cpu and Backward_cpu; caffe.proto, ContrastiveLossParameter
    - Hadsell, Chopra, LeCun: Dimensionality reduction by learning an invariant mapping, 2006
    """

    code = "O011"
    name = "contrastive-legacy-version"
    severity = WARNING
    layer_types = ("ContrastiveLoss",)
    VALID = [
        'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim"'
        " contrastive_loss_param { margin: 1 } }",
        'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim"'
        " contrastive_loss_param { margin: 1 legacy_version: false } }",
    ]
    INVALID = [
        Invalid(
            'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim"'
            " contrastive_loss_param { margin: 1 legacy_version: true } }",
            span="legacy_version: true",
            message='ContrastiveLoss "loss": legacy_version: true takes max(margin - d^2, 0) for pairs that differ, so'
            " the closer such a pair is, the less it is pushed apart; remove it to take max(margin - d, 0)^2",
            fixed=(
                'layer { name: "loss" type: "ContrastiveLoss" bottom: "a" bottom: "b" bottom: "sim" '
                "contrastive_loss_param { margin: 1 } }"
            ),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        if not layer.message.contrastive_loss_param.legacy_version:
            return
        yield self.finding(
            layer.at("contrastive_loss_param", "legacy_version"),
            f"{title(layer)}: legacy_version: true takes max(margin - d^2, 0) for pairs that differ, so the"
            " closer such a pair is, the less it is pushed apart; remove it to take max(margin - d, 0)^2",
            evidence="the gradient of margin - d^2 is proportional to d, and 0 where both features are equal",
            fixes=fix("remove legacy_version", UNSAFE, remove(layer, "contrastive_loss_param", "legacy_version")),
        )
