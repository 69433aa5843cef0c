"""Losses that only forks have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from caffelint.caffe.layers.base import ONE_OR_TWO, TWO, Counts, register
from caffelint.caffe.layers.expected import Expected
from caffelint.caffe.layers.loss import Loss, ignored_in
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import Shape, as_int, canonical_axis, count, text


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
    types: ClassVar[tuple[str, ...]] = ("L1Loss",)
    is_distance = never_negative = True


@register
class SmoothDistanceLoss(DistanceLoss):
    types = ("SmoothL1Loss",)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        """All forks compare channels, height and width of the two, and not the items (smooth_L1_loss_layer.cpp)."""
        one, two = ([*shape[1:4], 1, 1, 1][:3] for shape in bottoms[:2])
        if one != two and max(map(len, bottoms[:2])) <= 4:
            raise Refusal(
                Kind.SHAPES_DIFFER,
                f"predictions are {text(bottoms[0])} but targets are {text(bottoms[1])}; sizes per item must match",
                "Check failed: bottom[0]->channels() == bottom[1]->channels()",
                "smooth_L1_loss_layer.cpp Reshape",
                ("bottom", 1),
            )
        return super().set_up(bottoms)


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
        return ignored_in(self.message.loss_param)


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
