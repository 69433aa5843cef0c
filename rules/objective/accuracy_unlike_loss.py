from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    LIKELY,
    UNSAFE,
    WARNING,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    Related,
    Source,
    fix,
    quoted,
    source,
    title,
    write,
)

from ._graph import class_count, keeps_classes
from ._trained import stops_short, trained_classes

_NET = (
    'layer { name: "fc6" type: "InnerProduct" bottom: "data" top: "fc6" inner_product_param { num_output: 64 } }'
    ' layer { name: "fc7" type: "InnerProduct" bottom: "fc6" top: "fc7" inner_product_param { num_output: 4 } }'
    ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc7" bottom: "label" top: "loss" }'
    ' layer { name: "acc" type: "Accuracy" bottom: "%s" bottom: "label" top: "acc" }'
)


class AccuracyUnlikeLoss(LayerRule):
    """Accuracy reads other scores than the loss of the same labels, and not as many.

    ## Why is this bad?
    Its value says nothing of what is trained: it stays near 0 while the loss falls, and whoever looks at it takes the
    net for broken. If the layer that makes its scores comes after those that the loss reads, nothing trains that layer.

    ## Example
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc8" bottom: "label" top: "loss" }
    layer { name: "accuracy" type: "Accuracy" bottom: "fc7" bottom: "label" top: "accuracy" }
    ```
    Use instead:
    ```
    layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc8" bottom: "label" top: "loss" }
    layer { name: "accuracy" type: "Accuracy" bottom: "fc8" bottom: "label" top: "accuracy" }
    ```

    ## References
    - accuracy_layer.cpp, Forward_cpu
    """

    code = "O015"
    name = "accuracy-unlike-loss"
    severity = WARNING
    certainty = LIKELY
    layer_types = ("Accuracy",)
    _EARLY = (_NET % "fc7").replace('bottom: "fc7" bottom: "label" top: "l', 'bottom:"fc6" bottom: "label" top: "l')
    VALID = [
        'layer { name: "acc" type: "Accuracy" bottom: "fc6" top: "acc" }',
        _NET % "fc7",
        # Through a Softmax.
        _NET % "prob" + ' layer { name: "prob" type: "Softmax" bottom: "fc7" top: "prob" }',
        # Other labels.
        (_NET % "fc6").replace('bottom: "label" top: "acc"', 'bottom: "colour" top: "acc"'),
    ]
    INVALID = [
        Invalid(
            (_NET % "fc6").replace('bottom: "fc6" bottom: "label"', 'bottom:"fc6" bottom: "label"'),
            span='bottom:"fc6"',
            message='Accuracy "acc" reads the 64 values of InnerProduct "fc6" as scores, but SoftmaxWithLoss "loss"'
            ' trains the 4 of InnerProduct "fc7" for the same labels; set bottom: "fc7"',
        ),
        Invalid(
            _EARLY,
            span='bottom:"fc6"',
            message='SoftmaxWithLoss "loss" reads the 64 values of InnerProduct "fc6" as scores, so nothing trains'
            ' InnerProduct "fc7" after it, whose 4 Accuracy "acc" reads for the same labels; set bottom: "fc7"',
            fixed=_EARLY.replace('bottom:"fc6"', 'bottom:"fc7"'),
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        for phase in layer.phases if len(layer.bottoms) > 1 else ():
            labels, scores = layer.maker(1, phase), source(layer, 0, phase, keeps_classes)
            if scores is None or not class_count(scores.layer):
                return
            trained = layer.net.once(trained_classes).get((phase, layer.bottoms[1], labels))
            read = class_count(scores.layer)
            if trained is None or trained.last is None or read in trained.counts or None in trained.counts:
                continue
            loss, made = trained.last
            if len(trained.counts) == 1 and stops_short(made, scores, phase):
                yield self._read_early(layer, scores, loss, made)
                return
            wanted = f"{class_count(made.layer)} of {title(made.layer)}"
            yield self.finding(
                layer.at("bottom", 0),
                f"{title(layer)} reads the {read} values of {title(scores.layer)} as scores, but {title(loss)} trains"
                f' the {wanted} for the same labels; set bottom: "{loss.bottoms[0]}"',
                phases=(phase,),
                related=(Related("the loss", loss.at()),),
            )
            return

    def _read_early(self, layer: Layer, scores: Source, loss: Layer, made: Source) -> Finding:
        """The loss stops short of the last layer."""
        read, wanted = class_count(made.layer), layer.bottoms[0]
        return self.finding(
            loss.at("bottom", 0),
            f"{title(loss)} reads the {read} values of {title(made.layer)} as scores, so nothing trains"
            f" {title(scores.layer)} after it, whose {class_count(scores.layer)} {title(layer)} reads for the same"
            f" labels; set bottom: {quoted(wanted)}",
            related=(Related("these are tested", layer.at("bottom", 0)),),
            fixes=fix(f"set bottom: {quoted(wanted)}", UNSAFE, write(loss, "bottom", 0, value=quoted(wanted))),
        )
