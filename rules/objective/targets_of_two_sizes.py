from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Layer, Net, NetRule, Related, Source, source, title
from caffelint.lint.built import types_that

from ._graph import class_count, count_place

_FC = ' layer { name: "%s" type: "InnerProduct" bottom: "fc7" top: "%s" inner_product_param { num_output: %d } }'
_LOSS = ' layer { name: "loss_%s" type: "SigmoidCrossEntropyLoss" bottom: "%s" bottom: "%s" }'


class TargetsOfTwoSizes(NetRule):
    """Losses compare predictions of different lengths with the same targets, value by value.

    ## Why is this bad?
    Whatever the length of the targets, one of the losses does not fit, and Caffe aborts when it builds the net.

    ## Example
    ```
    layer { name: "a" type: "InnerProduct" bottom: "fc7" top: "a" inner_product_param { num_output: 228 } }
    layer { name: "b" type: "InnerProduct" bottom: "fc6" top: "b" inner_product_param { num_output: 1000 } }
    layer { name: "loss_a" type: "SigmoidCrossEntropyLoss" bottom: "a" bottom: "label" }
    layer { name: "loss_b" type: "SigmoidCrossEntropyLoss" bottom: "b" bottom: "label" }
    ```
    Use instead the same `num_output` in both.

    ## References
    - sigmoid_cross_entropy_loss_layer.cpp and euclidean_loss_layer.cpp, Reshape
    """

    code = "O023"
    name = "targets-of-two-sizes"
    severity = ERROR
    layer_types = types_that(
        lambda kind: kind.is_loss and not kind.fork and (kind.is_distance or kind.plain_form == "Sigmoid")
    )
    VALID = [
        _FC % ("a", "a", 9) + _FC % ("b", "b", 9) + _LOSS % ("a", "a", "label") + _LOSS % ("b", "b", "label"),
        _FC % ("a", "a", 9) + _FC % ("b", "b", 4) + _LOSS % ("a", "a", "label") + _LOSS % ("b", "b", "other"),
    ]
    INVALID = [
        Invalid(
            _FC % ("a", "a", 228)
            + _FC % ("b", "b", 228)
            + _FC % ("c", "c", 1000)
            + _LOSS % ("a", "a", "label")
            + _LOSS % ("b", "b", "label")
            + _LOSS % ("c", "c", "label"),
            span="num_output: 1000",
            message='InnerProduct "c": num_output 1000, but InnerProduct "a" has 228 for the same targets "label", so'
            " Caffe stops at the loss of one of them; set both to the length of the targets",
        ),
    ]

    def check(self, net: Net) -> Iterator[Finding]:
        found: dict[tuple[str, str, Source | None], dict[Layer, None]] = {}
        for loss in net.layers_of(self.layer_types):
            for phase in loss.phases if len(loss.bottoms) > 1 else ():
                made, targets = source(loss, 0, phase), loss.maker(1, phase)
                if made and made.layer.type == "InnerProduct" and loss.maker(0, phase) == made:
                    found.setdefault((phase, loss.bottoms[1], targets), {})[made.layer] = None
        told = set()
        for (phase, targets_name, _), layers in found.items():
            counts = [class_count(layer) for layer in layers]
            usual = max(counts, key=counts.count)
            first = next(layer for layer in layers if class_count(layer) == usual)
            for layer in layers:
                if 0 in counts or class_count(layer) == usual or layer.depends_on_stage or layer.index in told:
                    continue
                told.add(layer.index)
                yield self.finding(
                    layer.at(*count_place(layer)),
                    f"{title(layer)}: num_output {class_count(layer)}, but {title(first)} has {usual} for the same"
                    f' targets "{targets_name}", so Caffe stops at the loss of one of them; set both to the length of'
                    " the targets",
                    phases=(phase,),
                    related=(Related("the other", first.at("name")),),
                )
