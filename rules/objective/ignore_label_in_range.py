from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    DISPLAY,
    INFO,
    LIKELY,
    WARNING,
    Finding,
    Invalid,
    Layer,
    LayerRule,
    Net,
    Related,
    fix,
    remove,
    sources,
    title,
    write,
)
from caffelint.lint.built import SoftmaxInside, types_that

from ._graph import Scores, class_count, keeps_classes, labels_by_scores

_HEAD = 'layer { name: "score" type: "Convolution" bottom: "data" top: "score" convolution_param { num_output: %d } }'
_LOSS = ' layer { name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss"'
_IGNORED = ("loss_param", "ignore_label")
_MOST_IGNORED = 4
"""Different labels that layers of one net ignore: of more, the first."""
_JUDGES = ("Accuracy", *types_that(lambda kind: issubclass(kind, SoftmaxInside)))
_ACCURACY = ' layer { name: "acc" type: "Accuracy" bottom: "score" bottom: "label" top: "acc" }'


class IgnoreLabelInRange(LayerRule):
    """`ignore_label` is one of the classes, which is then never trained.

    ## Why is this bad?
    An ignored label gives no loss and no gradient. That is meant for a label that is not a class, such as 255 or -1.
    With two classes and one of them ignored, only the other is left: the net answers it every time, the loss falls to
    0 at once, and nothing else is learned.

    ## Example
    ```
    layer {
      name: "score" type: "Convolution" bottom: "fc7" top: "score"
      convolution_param { num_output: 2 kernel_size: 1 }
    }
    layer {
      name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss"
      loss_param { ignore_label: 0 }
    }
    ```
    Use instead:
    ```
    layer {
      name: "loss" type: "SoftmaxWithLoss" bottom: "score" bottom: "label" top: "loss"
      loss_param { ignore_label: 255 }
    }
    ```

    ## Known problems
    Some nets give the void label a class of its own and ignore it. With more than two classes this is only an info,
    unless an Accuracy or a second loss of the same scores and labels counts that class. `caffelint data` looks at how
    often it occurs (`class-ignored`).

    ## References
    - softmax_loss_layer.cpp, Forward_cpu and Backward_cpu; naibaf7/caffe_neural_tool issue 1
    """

    code = "O009"
    name = "ignore-label-in-range"
    severity = WARNING
    layer_types = types_that(lambda kind: issubclass(kind, SoftmaxInside))
    VALID = [
        _HEAD % 21 + _LOSS + " loss_param { ignore_label: 255 } }",
        _HEAD % 21 + _LOSS + " loss_param { ignore_label: -1 } }",
        # The first value that is not a class.
        _HEAD % 2 + _LOSS + " loss_param { ignore_label: 2 } }",
        _HEAD % 2 + _LOSS + " }",
        # Void in both.
        _HEAD % 21
        + _LOSS
        + " loss_param { ignore_label: 255 } }"
        + _ACCURACY.replace("}", "accuracy_param { ignore_label: 255 } }"),
    ]
    INVALID = [
        Invalid(
            _HEAD % 2 + _LOSS + " loss_param { ignore_label: 0 } }",
            span="ignore_label: 0",
            message='SoftmaxWithLoss "loss": ignore_label 0 is one of the 2 classes of Convolution "score", so only'
            " class 1 is left to learn; set a label that is not a class, such as ignore_label: 255 or -1",
        ),
        Invalid(
            _HEAD % 151 + _LOSS + " loss_param { ignore_label: 0 } }",
            span="ignore_label: 0",
            message='SoftmaxWithLoss "loss": ignore_label 0 is one of the 151 classes of Convolution "score", so class'
            " 0 is never trained; unless 0 marks unlabelled data, set ignore_label: 255",
        ),
        Invalid(
            _HEAD % 10 + _LOSS + " loss_param { ignore_label: 3 } }" + _ACCURACY,
            span="ignore_label: 3",
            message='SoftmaxWithLoss "loss": ignore_label 3 is one of the 10 classes of Convolution "score", so class 3'
            ' is never trained, but Accuracy "acc" counts it; remove ignore_label, or ignore 3 in both',
        ),
        Invalid(
            _HEAD % 10
            + _LOSS
            + " loss_param { ignore_label: 0 } }"
            + _ACCURACY.replace("}", "accuracy_param { ignore_label: 255 } }"),
            span="ignore_label: 0",
            message='SoftmaxWithLoss "loss": ignore_label 0 is one of the 10 classes of Convolution "score", so class 0'
            ' is never trained, but Accuracy "acc" counts it; set ignore_label: 255, or ignore 0 in both',
        ),
    ]

    def check(self, layer: Layer) -> Iterator[Finding]:
        loss_param = layer.message.loss_param
        if not loss_param.HasField("ignore_label") or loss_param.ignore_label < 0:
            return
        label = loss_param.ignore_label
        for (made_by, _), _phases in sources(layer, 0, keeps_classes):
            classes = class_count(made_by)
            if classes < 2 or label >= classes:
                continue
            if classes == 2:
                yield self.finding(
                    layer.at("loss_param", "ignore_label"),
                    f"{title(layer)}: ignore_label {label} is one of the 2 classes of {title(made_by)}, so only class"
                    f" {1 - label} is left to learn; set a label that is not a class, such as ignore_label: 255 or -1",
                    evidence="always answering the class that is left brings the loss to 0",
                    fixes=tuple(
                        one
                        for value in ("255", "-1")
                        for one in fix(
                            f"set ignore_label: {value}",
                            DISPLAY,
                            write(layer, "loss_param", "ignore_label", value=value),
                        )
                    ),
                )
            else:
                what = f"{title(layer)}: ignore_label {label} is one of the {classes} classes of {title(made_by)},"
                what += f" so class {label} is never trained"
                if counts := _counts(layer):
                    other = counts.kind.ignored_label
                    if other is None:
                        remedy, edit = "remove ignore_label", remove(layer, *_IGNORED)
                    else:
                        remedy, edit = f"set ignore_label: {other}", write(layer, *_IGNORED, value=str(other))
                    yield self.finding(
                        layer.at("loss_param", "ignore_label"),
                        f"{what}, but {title(counts)} counts it; {remedy}, or ignore {label} in both",
                        certainty=LIKELY,
                        related=(Related("what counts it", counts.at()),),
                        fixes=fix(remedy, DISPLAY, edit),
                    )
                else:
                    yield self.finding(
                        layer.at("loss_param", "ignore_label"),
                        f"{what}; unless {label} marks unlabelled data, set ignore_label:"
                        f" {255 if classes <= 255 else -1}",
                        severity=INFO,
                        certainty=LIKELY,
                    )
            return


def _counts(loss: Layer) -> Layer | None:
    """What takes the same scores and labels, and ignores no class of them."""
    others = [known for ignored, known in loss.net.once(_counting).items() if ignored != loss.kind.ignored_label]
    for scores, labels in labels_by_scores([loss]).items():
        for known in others[:_MOST_IGNORED]:
            there = known.get(scores, {})
            if found := next((there[label] for label in labels if label in there), None):
                return found
    return None


def _counting(net: Net) -> dict[int | None, dict[Scores, dict[str, Layer]]]:
    """By the label that they ignore, first those that ignore none."""
    judges: dict[int | None, list[Layer]] = {None: []}
    for one in net.layers_of(_JUDGES):
        if one.kind.ignored_label is None or one.type == "Accuracy":
            judges.setdefault(one.kind.ignored_label, []).append(one)
    return {ignored: labels_by_scores(layers) for ignored, layers in judges.items()}
