"""Losses, and Accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from caffelint.caffe.items import items_change
from caffelint.caffe.layers.base import (
    CORRUPTS,
    NOTHING,
    ONE,
    ONE_OR_TWO,
    THREE,
    TWO,
    BuiltLayer,
    Counts,
    register,
)
from caffelint.caffe.layers.expected import Expected
from caffelint.caffe.layers.reduce import check_softmax_axis
from caffelint.caffe.place import FieldPath
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import Shape, as_int, canonical_axis, count, divide, legacy, no_data, text
from caffelint.caffe.values import Values


class Loss(BuiltLayer):
    """loss_layer.cpp: predictions and labels to a scalar, whose top Caffe makes where the text names none."""

    fork_fields_change = NOTHING
    bottom_counts = TWO
    top_counts = ONE
    auto_tops = True
    is_loss = True
    plain_form = ""
    reads_bottom = True
    in_place = CORRUPTS
    # The bottoms that a gradient may flow to; Caffe ends the run where it should flow to another one.
    differentiable: frozenset[int] = frozenset({0})
    # Are the labels numbers of classes?
    of_classes: ClassVar[bool] = False

    def passes_gradient(self, bottom: int) -> bool | None:
        return None if self.fork else bottom in self.differentiable

    def reads_classes(self, bottom: int) -> bool | None:
        return self.of_classes and bottom == 1

    def expects(self, bottom: int) -> Expected | None:
        if self.is_distance and bottom == 1:
            return Expected(0, 1, whole=False, shape=self.bottoms[0].shape)
        return super().expects(bottom)

    def allows_force_backward(self, bottom: int) -> bool:
        return bottom != 1

    def check(self) -> None:
        """Raise the refusals that depend on parameters alone."""

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.check()
        self.check_batch(bottoms)
        # The scalar top is made before the rest is looked at; in place, that is what the first bottom now is.
        shapes = [(), *bottoms[1:]] if self.runs_in_place else list(bottoms)
        self.compare(shapes)
        return [(), *shapes[:1]][: len(self.tops)]

    def check_batch(self, bottoms: Sequence[Shape]) -> None:
        first = bottoms[0][canonical_axis(bottoms[0], 0, ("bottom", 0))]
        second = bottoms[1][canonical_axis(bottoms[1], 0, ("bottom", 1))]
        if first != second:
            raise Refusal(
                Kind.SHAPES_DIFFER,
                f"bottom 0 has {first} items ({text(bottoms[0])}) but bottom 1 has {second} ({text(bottoms[1])})"
                f"{items_change(self.bottoms[0]) or items_change(self.bottoms[1])}",
                "The data and label should have the same first dimension.",
                "loss_layer.cpp Reshape",
                ("bottom", 1),
            )

    def compare(self, bottoms: Sequence[Shape]) -> None:
        """Raise Refusal where the bottoms do not match, after what all losses check."""

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check()
        return [(), *bottoms[:1]][: len(self.tops)]


def check_label_count(layer: BuiltLayer, scores: Shape, labels: Shape, axis: int, kind: str, function: str) -> None:
    """One label for each prediction: scores without their class axis."""
    wanted = as_int(count(scores, 0, axis) * count(scores, axis + 1))
    if wanted != count(labels):
        raise layer.refuse(
            Kind.LABEL_COUNT,
            f"scores of {text(scores)} with the classes on axis {axis} need {wanted} labels, but the labels are"
            f" {text(labels)}, {count(labels)} in all",
            f"Number of labels must match number of predictions; e.g., if {kind} axis == 1",
            function,
            ("bottom", 1),
        )


def check_inner_loss_weight(layer: BuiltLayer, scores: Shape) -> None:
    """The Softmax or Sigmoid inside a loss has one top, and gets the loss_weight of its layer too (layer.hpp)."""
    weights = layer.given_loss_weights
    if len(weights) > 1:
        raise Refusal(
            Kind.LOSS_WEIGHT_COUNT,
            f"loss_weight is set {len(weights)} times; {layer.type} takes one",
            "loss_weight must be unspecified or specified once per top blob.",
            "layer.hpp SetLossWeights",
            ("loss_weight", 1),
        )
    if count(scores) == 0 and any(weights):
        raise no_data("the first bottom", "layer.hpp SetLossWeights", ("bottom", 0), "diff_")


class SoftmaxInside(Loss):
    """A loss that runs a Softmax on its first bottom."""

    plain_form = "Softmax"
    reads_loss_param = True
    of_classes = True

    @property
    def class_axis(self) -> int:
        return self.softmax_axis()[0]

    @property
    def ignored_label(self) -> int | None:
        return _ignored(self.message.loss_param)

    def softmax_axis(self) -> tuple[int, FieldPath]:
        """The axis of the classes, and the field that gives it."""
        raise NotImplementedError

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        axis, field = self.softmax_axis()
        self.check_inner_engine()
        self.check_softmax(bottoms[0], axis, field)
        return super().set_up(bottoms)

    def check_inner_engine(self) -> None:
        if self.strict and self.message.softmax_param.engine > 1:
            raise Refusal(
                Kind.MISSING_ENGINE,
                "engine: CUDNN needs a Caffe built with cuDNN",
                f"Layer {self.name} has unknown engine.",
                "layer_factory.cpp GetSoftmaxLayer",
                ("softmax_param", "engine"),
            )

    def check_softmax(self, scores: Shape, axis: int, field: FieldPath) -> None:
        check_softmax_axis(scores, axis, field)


def _ignored(param: Any) -> int | None:
    return param.ignore_label if param.HasField("ignore_label") else None


FOCAL_LOSSES = ("FocalLoss", "SoftmaxFocalLoss", "SoftmaxWithFocalLoss")
"""Types of forks, each of which has its own: most run a Softmax on their first bottom, some a Sigmoid, few nothing."""


@register
class SoftmaxWithLoss(SoftmaxInside):
    types = ("SoftmaxWithLoss",)
    never_negative = True
    block = "softmax_param"
    top_counts = ONE_OR_TWO

    def softmax_axis(self) -> tuple[int, FieldPath]:
        return self.parameters.axis, ("softmax_param", "axis")

    def check_softmax(self, scores: Shape, axis: int, field: FieldPath) -> None:
        check_softmax_axis(scores, axis, field)
        check_inner_loss_weight(self, scores)
        if not self.given_loss_weights and count(scores) == 0:
            raise no_data("the first bottom", "layer.hpp SetLossWeights", ("bottom", 0), "diff_")

    def compare(self, bottoms: Sequence[Shape]) -> None:
        scores, labels = bottoms
        axis = check_softmax_axis(scores, self.parameters.axis, ("softmax_param", "axis"))
        check_label_count(self, scores, labels, axis, "softmax", "softmax_loss_layer.cpp Reshape")


@register
class InfogainLoss(SoftmaxInside):
    types = ("InfogainLoss",)
    block = "infogain_loss_param"
    bottom_counts = Counts(2, 3)
    top_counts = ONE_OR_TWO

    def softmax_axis(self) -> tuple[int, FieldPath]:
        return self.parameters.axis, ("infogain_loss_param", "axis")

    def check_softmax(self, scores: Shape, axis: int, field: FieldPath) -> None:
        check_softmax_axis(scores, axis, field)
        if count(scores) == 0:
            raise no_data("the first bottom", "layer.hpp SetLossWeights", ("bottom", 0), "diff_")

    def check(self) -> None:
        function = "infogain_loss_layer.cpp LayerSetUp"
        if self.message.loss_param.HasField("normalize"):
            raise Refusal(
                Kind.NORMALIZE_OF_INFOGAIN,
                "InfogainLoss does not take the older normalize; set normalization",
                'normalize is deprecated. use "normalization"',
                function,
                ("loss_param", "normalize"),
            )
        if len(self.bottoms) < 3 and not self.parameters.HasField("source"):
            raise self.refuse(
                Kind.MISSING_INFOGAIN_MATRIX,
                "the matrix H is missing; set source, or add a third bottom",
                "Infogain matrix source must be specified.",
                function,
                "source",
            )

    def compare(self, bottoms: Sequence[Shape]) -> None:
        scores, labels = bottoms[:2]
        function = "infogain_loss_layer.cpp Reshape"
        axis = check_softmax_axis(scores, self.parameters.axis, ("infogain_loss_param", "axis"))
        check_label_count(self, scores, labels, axis, "infogain", function)
        classes = scores[axis]
        if len(bottoms) > 2 and count(bottoms[2]) != as_int(classes * classes):
            raise self.refuse(
                Kind.WRONG_SHAPE,
                f"the matrix H must be {classes}x{classes} for {classes} classes, but bottom 2 is {text(bottoms[2])}",
                "Check failed: infogain->count() == num_labels_*num_labels_",
                function,
                ("bottom", 2),
            )


@register
class SigmoidCrossEntropyLoss(Loss):
    types = ("SigmoidCrossEntropyLoss",)
    plain_form = "Sigmoid"
    never_negative = compares_maps = True
    block = "sigmoid_param"
    reads_loss_param = True

    def sums_values(self) -> bool:
        """sigmoid_cross_entropy_loss_layer.cpp, LayerSetUp: BATCH_SIZE is its default."""
        return not self.message.HasField("loss_param")

    def expects(self, bottom: int) -> Expected | None:
        return Expected(0, 1, shape=self.bottoms[0].shape) if bottom == 1 else None

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        check_inner_loss_weight(self, bottoms[0])
        return super().set_up(bottoms)

    def compare(self, bottoms: Sequence[Shape]) -> None:
        canonical_axis(bottoms[0], 0, ("top", 0))
        if count(bottoms[0]) != count(bottoms[1]):
            raise Refusal(
                Kind.SHAPES_DIFFER,
                f"predictions are {text(bottoms[0])} but targets are {text(bottoms[1])}; their numbers must match",
                "SIGMOID_CROSS_ENTROPY_LOSS layer inputs must have the same count.",
                "sigmoid_cross_entropy_loss_layer.cpp Reshape",
                ("bottom", 1),
            )


@register
class EuclideanLoss(Loss):
    types = ("EuclideanLoss",)
    is_distance = never_negative = compares_maps = True
    differentiable = frozenset({0, 1})

    def allows_force_backward(self, bottom: int) -> bool:
        return True

    def sums_values(self) -> bool:
        """euclidean_loss_layer.cpp, Forward_cpu: dot / bottom[0]->num() / 2."""
        return True

    def compare(self, bottoms: Sequence[Shape]) -> None:
        if count(bottoms[0], 1) != count(bottoms[1], 1):
            raise Refusal(
                Kind.SHAPES_DIFFER,
                f"predictions are {text(bottoms[0])} but targets are {text(bottoms[1])}; sizes per item must match",
                "Inputs must have the same dimension.",
                "euclidean_loss_layer.cpp Reshape",
                ("bottom", 1),
            )


@register
class HingeLoss(Loss):
    types = ("HingeLoss",)
    of_classes = never_negative = True
    block = "hinge_loss_param"


@register
class MultinomialLogisticLoss(Loss):
    types = ("MultinomialLogisticLoss",)
    of_classes = never_negative = True

    def compare(self, bottoms: Sequence[Shape]) -> None:
        function = "multinomial_logistic_loss_layer.cpp Reshape"
        for side, size in zip(("channels", "height", "width"), legacy(bottoms[1], ("bottom", 1))[1:], strict=False):
            if size != 1:
                raise Refusal(
                    Kind.WRONG_SHAPE,
                    f"bottom 1 is {text(bottoms[1])}; a label must be one value per item",
                    f"Check failed: bottom[1]->{side}() == 1",
                    function,
                    ("bottom", 1),
                )


@register
class ContrastiveLoss(Loss):
    types = ("ContrastiveLoss",)
    compares_records = True
    never_negative = True
    block = "contrastive_loss_param"
    bottom_counts = THREE
    differentiable = frozenset({0, 1})

    def expects(self, bottom: int) -> Expected | None:
        return Expected(0, 1) if bottom == 2 else None

    def passes_gradient(self, bottom: int) -> bool:
        """The third bottom gets none, and Caffe goes on."""
        return True

    def allows_force_backward(self, bottom: int) -> bool:
        return bottom != 2

    def check_batch(self, bottoms: Sequence[Shape]) -> None:
        function = "contrastive_loss_layer.cpp LayerSetUp"
        first = legacy(bottoms[0], ("bottom", 0))
        second = legacy(bottoms[1], ("bottom", 1))
        if first[1] != second[1]:
            raise Refusal(
                Kind.SHAPES_DIFFER,
                f"the bottoms to compare are {text(bottoms[0])} and {text(bottoms[1])}; sizes per item must match",
                "Check failed: bottom[0]->channels() == bottom[1]->channels()",
                function,
                ("bottom", 1),
            )
        for index, sides in ((0, ("height", "width")), (1, ("height", "width")), (2, ("channels", "height", "width"))):
            sizes = legacy(bottoms[index], ("bottom", index))[-len(sides) :]
            for side, size in zip(sides, sizes, strict=False):
                if size != 1:
                    raise Refusal(
                        Kind.WRONG_SHAPE,
                        f"bottom {index} is {text(bottoms[index])}; its {side} must be 1",
                        f"Check failed: bottom[{index}]->{side}() == 1",
                        function,
                        ("bottom", index),
                    )
        super().check_batch(bottoms)


@register
class Accuracy(BuiltLayer):
    types = ("Accuracy",)
    plain_form = ""
    looks_like_a_measure = True
    block = "accuracy_param"
    bottom_counts = TWO
    top_counts = ONE_OR_TWO
    has_backward = False

    @property
    def class_axis(self) -> int:
        return int(self.parameters.axis)

    @property
    def ignored_label(self) -> int | None:
        return _ignored(self.parameters)

    def reads_classes(self, bottom: int) -> bool:
        return bottom == 1

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        scores, labels = bottoms
        p = self.parameters
        function = "accuracy_layer.cpp Reshape"
        per_label = divide(count(scores), count(labels), "the number of labels", ("bottom", 1))
        if as_int(p.top_k) > per_label:
            raise self.refuse(
                Kind.TOP_K_TOO_LARGE,
                f"top_k {p.top_k} is larger than the {per_label} scores per label ({text(scores)} for {text(labels)})",
                "top_k must be less than or equal to the number of classes.",
                function,
                "top_k" if p.HasField("top_k") else ("bottom", 1),
            )
        axis = canonical_axis(scores, p.axis, (self.block, "axis"))
        check_label_count(self, scores, labels, axis, "label", function)
        if self.runs_in_place and len(self.tops) > 1:
            # The scalar is made first; in place, the scores have lost their axes by then.
            canonical_axis((), axis, ("top", 0))
        return [(), (scores[axis],)][: len(self.tops)]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        return [(), None][: len(self.tops)]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [Values(0, 1)] * len(self.tops)


class ForkLoss(Loss):
    """A loss that only forks have: a scalar; what its bottoms must be is theirs to say."""

    fork = True
    never_negative: ClassVar[bool | None] = None
    bottom_counts = Counts(2)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        return self.set_up_unknown(bottoms)

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        return [(), *[None] * len(self.tops)][: len(self.tops)]


@register
class RegressionLoss(ForkLoss):
    types: ClassVar[tuple[str, ...]] = (
        "KLDivLoss",
        "NormalizedSigmoidCrossEntropyLoss",
        "SigmoidCrossEntropyBalanceLoss",
    )
    top_counts = ONE_OR_TWO
    differentiable = frozenset({0, 1})


@register
class DistanceLoss(RegressionLoss):
    types = ("L1Loss", "SmoothL1Loss")
    is_distance = never_negative = True


@register
class OnlineHardExampleLoss(ForkLoss):
    """The scalar, and the loss of each example."""

    types = ("SmoothL1LossOHEM",)
    top_counts = Counts(1, 3)


@register
class OnlineHardExampleSoftmaxLoss(OnlineHardExampleLoss):
    types = ("SoftmaxWithLossOHEM",)
    of_classes = True

    @property
    def class_axis(self) -> int:
        return int(self.message.softmax_param.axis)

    @property
    def ignored_label(self) -> int | None:
        return _ignored(self.message.loss_param)


@register
class CenterLoss(ForkLoss):
    types = ("CenterLoss",)
    block = "center_loss_param"
    bottom_counts = TWO

    def expects(self, bottom: int) -> Expected | None:
        outputs = self.parameters.num_output
        return Expected(0, outputs - 1) if bottom == 1 and outputs else None

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        p = self.parameters
        axis = canonical_axis(bottoms[0], p.axis, (self.block, "axis"))
        self.param_shapes = [(as_int(p.num_output), count(bottoms[0], axis))]
        return [()]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.param_shapes = None
        return [()]


@register
class MultiBoxLoss(ForkLoss):
    types = ("MultiBoxLoss",)
    block = "multibox_loss_param"
    bottom_counts = Counts(4)

    def expects(self, bottom: int) -> Expected | None:
        if bottom != 3:
            return None
        # One box for each item of the batch: the prediction of the net gives their number.
        predicted = self.bottoms[0].shape
        rows = (1, 1, predicted[0], 8) if predicted else None
        return Expected(1, max(self.parameters.num_classes - 1, 1), shape=rows, boxes=True)
