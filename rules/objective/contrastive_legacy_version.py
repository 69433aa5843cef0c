from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import UNSAFE, WARNING, Finding, Invalid, Layer, LayerRule, fix, remove


class ContrastiveLegacyVersion(LayerRule):
    """`legacy_version: true` asks ContrastiveLoss for a formula that was a mistake.

    ## Why is this bad?
    The loss for a pair that differs is `max(margin - d, 0)^2` in the paper, d being the distance. Caffe first had
    `max(margin - d^2, 0)`, and keeps it for nets that were trained with it. Its gradient vanishes as the two features
    come together, which is just where they have to be pushed apart: pairs that have collapsed stay so.

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
    Unsafe: the loss changes, to the one of the paper.

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
            message="legacy_version: true takes max(margin - d^2, 0) for pairs that differ, which no longer pushes them"
            " apart when they are close; false takes max(margin - d, 0)^2",
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
            "legacy_version: true takes max(margin - d^2, 0) for pairs that differ, which no longer pushes them apart"
            " when they are close; false takes max(margin - d, 0)^2",
            evidence="the gradient of margin - d^2 is proportional to d, and 0 where both features are equal",
            fixes=fix("remove it", UNSAFE, remove(layer, "contrastive_loss_param", "legacy_version")),
        )
