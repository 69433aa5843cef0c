"""Losses, and Accuracy. Where a loss clamps, or counts labels out, its gradient is Caffe's formula, not its slope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as functional

from caffelint.lint.read import read
from caffelint.smoke.torch.base import LabelOutside, TorchLayer, apply, axis_of, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer

FULL, VALID, BATCH_SIZE, NONE = 0, 1, 2, 3
LOG_THRESHOLD = 1e-20


class Normalised(TorchLayer):
    """What loss_param says: which label is left out, and what the sum is divided by."""

    default = VALID

    def set_up(self) -> None:
        p = self.spec.message.loss_param
        self.ignored: int | None = p.ignore_label if p.HasField("ignore_label") else None
        self.mode: int = p.normalization if p.HasField("normalization") else self.default
        if p.HasField("normalize") and not p.HasField("normalization"):
            self.mode = VALID if p.normalize else BATCH_SIZE

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        mode = spec.message.loss_param.normalization
        return None if mode in (FULL, VALID, BATCH_SIZE, NONE) else "Caffe 1.0 has no such normalization"

    def normalizer(self, outer: int, inner: int, valid: Tensor | None) -> Tensor | float:
        """At least 1 (GetNormalizer); valid: how many labels count, None where all do."""
        if self.mode == VALID and valid is not None:
            return valid.clamp(min=1)
        number = {FULL: outer * inner, VALID: outer * inner, BATCH_SIZE: outer, NONE: 1}[self.mode]
        return float(max(number, 1))


def class_labels(layer: TorchLayer, labels: Tensor, classes: int, ignored: int | None) -> tuple[Tensor, Tensor | None]:
    """Labels as indices, and which of them count (None: all); ignored ones are 0.

    Raises LabelOutside for a label that is no class: Caffe reads and writes beside the row of scores there.
    """
    index = labels.long()
    valid = None
    if ignored is not None:
        valid = index != ignored
        index = torch.where(valid, index, 0)
    if index.numel():
        low, high = (int(end) for end in torch.aminmax(index))
        if low < 0 or high >= classes:
            wrong = low if low < 0 else high
            raise LabelOutside(layer.spec, index, f"label {wrong} is none of the {classes} classes, 0 to {classes - 1}")
    return index, valid


class _SoftmaxLoss(torch.autograd.Function):
    """softmax_loss_layer.cpp; scores are N x C x M, labels N x 1 x M."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, index: Tensor, valid: Tensor | None, divisor: Any) -> Any:
        probability = scores.softmax(1)
        # Of halves the least is theirs: FLT_MIN is 0 among them (min_dtype of NVIDIA's fork).
        least = torch.finfo(probability.dtype).smallest_normal
        losses = probability.gather(1, index).float().clamp_(min=least).log_()
        if valid is not None:
            losses = torch.where(valid, losses, 0)
        ctx.save_for_backward(probability, index, valid)
        ctx.divisor = divisor
        return -losses.sum() / divisor, probability

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        probability, index, valid = ctx.saved_tensors
        gradient = probability.scatter_add(1, index, torch.full_like(index, -1, dtype=probability.dtype))
        if valid is not None:
            gradient = torch.where(valid, gradient, 0)
        return gradient.mul_(gradients[0] / ctx.divisor), None, None, None


@register
class SoftmaxWithLoss(Normalised):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        scores, labels = bottoms[0], bottoms[1].detach()
        axis = axis_of(scores, self.p.axis)
        outer, classes, inner = scores.shape[:axis].numel(), scores.shape[axis], scores.shape[axis + 1 :].numel()
        index, valid = class_labels(self, labels.reshape(outer, 1, inner), classes, self.ignored)
        divisor = self.normalizer(outer, inner, valid.sum() if valid is not None else None)
        loss, probability = apply(_SoftmaxLoss, scores.reshape(outer, classes, inner), index, valid, divisor)
        return [loss, probability.detach().view(scores.shape)][: len(self.spec.tops)]


class _InfogainLoss(torch.autograd.Function):
    """infogain_loss_layer.cpp; scores are N x C x M, labels N x M, H is C x C."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, index: Tensor, valid: Tensor | None, matrix: Tensor, divisor: Any) -> Any:
        probability = scores.softmax(1)
        rows = matrix[index].movedim(-1, 1)
        losses = (rows * probability.clamp(min=LOG_THRESHOLD).log()).sum(1)
        if valid is not None:
            losses = torch.where(valid, losses, 0)
        ctx.save_for_backward(probability, rows, valid)
        ctx.divisor = divisor
        return -losses.sum() / divisor, probability

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        probability, rows, valid = ctx.saved_tensors
        gradient = probability * rows.sum(1, keepdim=True) - rows
        if valid is not None:
            gradient = torch.where(valid[:, None], gradient, 0)
        return gradient.mul_(gradients[0] / ctx.divisor), None, None, None, None


@register
class InfogainLoss(Normalised):
    def set_up(self) -> None:
        super().set_up()
        self.matrix = self._read_matrix() if len(self.spec.bottoms) < 3 else None

    def _read_matrix(self) -> Tensor:
        from caffelint.schema.messages import BlobProto

        try:
            blob: Any = BlobProto.FromString(read(self.p.source))
        except Exception as error:
            raise self.error(f'its matrix could not be read from "{self.p.source}": {error}') from None
        values = torch.tensor(list(blob.data) or list(blob.double_data), dtype=torch.float32)
        classes = round(values.numel() ** 0.5)
        if classes * classes != values.numel():
            raise self.error(f'the matrix in "{self.p.source}" has {values.numel()} values, not a square number')
        return values.view(classes, classes).to(self.device)

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        scores, labels = bottoms[0], bottoms[1].detach()
        axis = axis_of(scores, self.p.axis)
        outer, classes, inner = scores.shape[:axis].numel(), scores.shape[axis], scores.shape[axis + 1 :].numel()
        matrix = self.matrix if self.matrix is not None else bottoms[2].detach().reshape(classes, classes)
        if matrix.shape[0] != classes:
            raise self.error(f"its matrix is for {matrix.shape[0]} classes; there are {classes}")
        index, valid = class_labels(self, labels.reshape(outer, inner), classes, self.ignored)
        divisor = self.normalizer(outer, inner, valid.sum() if valid is not None else None)
        loss, probability = apply(_InfogainLoss, scores.reshape(outer, classes, inner), index, valid, matrix, divisor)
        return [loss, probability.detach().view(scores.shape)][: len(self.spec.tops)]


class _SigmoidLoss(torch.autograd.Function):
    """sigmoid_cross_entropy_loss_layer.cpp."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, target: Tensor, valid: Tensor | None, divisor: Any) -> Tensor:
        above = (x >= 0).to(x.dtype)
        losses = x * (target - above) - torch.log(1 + torch.exp(x - 2 * x * above))
        if valid is not None:
            losses = torch.where(valid, losses, 0)
        ctx.save_for_backward(x, target, valid)
        ctx.divisor = divisor
        loss: Tensor = -losses.sum() / divisor
        return loss

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, target, valid = ctx.saved_tensors
        gradient = x.sigmoid() - target
        if valid is not None:
            gradient = torch.where(valid, gradient, 0)
        return gradient.mul_(gradients[0] / ctx.divisor), None, None, None


@register
class SigmoidCrossEntropyLoss(Normalised):
    default = BATCH_SIZE

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        target = bottoms[1].detach().reshape(x.shape)
        valid = target.long() != self.ignored if self.ignored is not None else None
        outer = x.shape[0]
        divisor = self.normalizer(outer, x.numel() // max(outer, 1), valid.sum() if valid is not None else None)
        return [apply(_SigmoidLoss, x, target, valid, divisor)]


class PerItem(TorchLayer):
    """A loss that is divided by the `num` of its first bottom, which a blob of more than 4 axes does not have."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        shape = spec.bottoms[0].shape
        axes = len(shape) if shape is not None else 0
        return f"its first bottom has {axes} axes; Caffe ends the run where there are more than 4" if axes > 4 else None


@register
class EuclideanLoss(PerItem):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        a, b = bottoms
        difference = a - b.reshape(a.shape)
        return [difference.square().sum() / (2 * a.shape[0])]


@register
class HingeLoss(PerItem):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        scores, labels = bottoms[0].flatten(1), bottoms[1].detach().reshape(-1, 1)
        index, _ = class_labels(self, labels, scores.shape[1], None)
        signs = torch.ones_like(scores).scatter_(1, index, -1.0)
        margins = (1 + signs * scores).relu()
        return [(margins.sum() if self.p.norm == 1 else margins.square().sum()) / scores.shape[0]]


class _MultinomialLoss(torch.autograd.Function):
    """multinomial_logistic_loss_layer.cpp."""

    @staticmethod
    def forward(ctx: Any, probability: Tensor, index: Tensor) -> Tensor:
        chosen = probability.gather(1, index).clamp(min=LOG_THRESHOLD)
        ctx.save_for_backward(chosen, index)
        ctx.shape = probability.shape
        return -chosen.log().sum() / probability.shape[0]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        chosen, index = ctx.saved_tensors
        gradient = chosen.new_zeros(ctx.shape)
        return gradient.scatter_(1, index, gradients[0] / -ctx.shape[0] / chosen), None


@register
class MultinomialLogisticLoss(PerItem):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        probability = bottoms[0].flatten(1)
        index, _ = class_labels(self, bottoms[1].detach().reshape(-1, 1), probability.shape[1], None)
        return [apply(_MultinomialLoss, probability, index)]


class _ContrastiveLoss(torch.autograd.Function):
    """contrastive_loss_layer.cpp, whose backward adds 1e-4 to a distance that it divides by."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, alike: Tensor, margin: float, legacy: bool) -> Tensor:
        difference = a - b
        squares = difference.square().sum(1)
        room = margin - (squares if legacy else squares.sqrt())
        apart = room.relu() if legacy else room.relu().square()
        ctx.save_for_backward(difference, squares, room, alike)
        ctx.legacy = legacy
        return torch.where(alike, squares, apart).sum() / (2 * a.shape[0])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        difference, squares, room, alike = ctx.saved_tensors
        apart = torch.full_like(room, -1) if ctx.legacy else -room / (squares.sqrt() + 1e-4)
        factor = torch.where(alike, 1, torch.where(room > 0, apart, 0))
        gradient = difference * factor[:, None] * (gradients[0] / difference.shape[0])
        return gradient, -gradient, None, None, None


@register
class ContrastiveLoss(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        a, b = bottoms[0].flatten(1), bottoms[1].flatten(1)
        alike = bottoms[2].detach().flatten().long() != 0
        return [apply(_ContrastiveLoss, a, b, alike, self.p.margin, self.p.legacy_version)]


@register
class Accuracy(TorchLayer):
    """A label is found where fewer than top_k scores are as large as its own (accuracy_layer.cpp)."""

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        scores, labels = bottoms[0].detach(), bottoms[1].detach()
        p = self.p
        axis = axis_of(scores, p.axis)
        outer, classes, inner = scores.shape[:axis].numel(), scores.shape[axis], scores.shape[axis + 1 :].numel()
        ignored = p.ignore_label if p.HasField("ignore_label") else None
        index = labels.reshape(outer, 1, inner).long()
        valid = index != ignored if ignored is not None else None
        # Caffe reads beside the scores for what is no class; here it is never found.
        known = (index >= 0) & (index < classes)
        index = torch.where(known, index, 0)
        scores = scores.reshape(outer, classes, inner)
        better = (scores >= scores.gather(1, index)).sum(1, keepdim=True) - 1
        found = (better < p.top_k) & known
        if valid is not None:
            found &= valid
            counted = valid.sum().clamp(min=1)
        else:
            counted = torch.tensor(index.numel(), device=scores.device)
        tops = [found.sum() / counted.to(scores.dtype)]
        if len(self.spec.tops) > 1:
            weights = (known if valid is None else known & valid).long()
            number = index.new_zeros(classes).scatter_add_(0, index.flatten(), weights.flatten())
            right = index.new_zeros(classes).scatter_add_(0, index.flatten(), found.long().flatten())
            tops.append(torch.where(number > 0, right / number.clamp(min=1), 0.0).to(scores.dtype))
        return tops


@register
class L1Loss(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        a, b = bottoms[:2]
        return [(a - b.reshape(a.shape)).abs().sum() / a.shape[0]]

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if len(spec.bottoms) == 2 and len(spec.tops) == 1 else "forks differ in what its other blobs are"


@register
class SmoothL1Loss(TorchLayer):
    """Bottoms: predictions, targets, weights inside the function and, of Fast R-CNN, outside."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if len(spec.bottoms) <= 4 and len(spec.tops) == 1 else "forks differ in what its other blobs are"

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        a, b, *weights = bottoms
        difference = a - b.reshape(a.shape)
        if weights:
            difference = difference * weights[0].detach().reshape(a.shape)
        sigma2 = self.spec.message.smooth_l1_loss_param.sigma**2
        losses = functional.smooth_l1_loss(difference, torch.zeros_like(difference), reduction="none", beta=1 / sigma2)
        if len(weights) > 1:
            losses = losses * weights[1].detach().reshape(a.shape)
        return [losses.sum() / a.shape[0]]


class _CenterLoss(torch.autograd.Function):
    """center_loss_layer.cpp: the centers' gradient is a mean over each class, and takes no loss weight."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, centers: Tensor, index: Tensor) -> Tensor:
        difference = x - centers[index]
        ctx.save_for_backward(difference, index)
        ctx.classes = centers.shape[0]
        return difference.square().sum() / (2 * x.shape[0])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        difference, index = ctx.saved_tensors
        sums = difference.new_zeros(ctx.classes, difference.shape[1]).index_add_(0, index, difference)
        counts = torch.bincount(index, minlength=ctx.classes) + 1
        return difference * (gradients[0] / difference.shape[0]), -sums / counts[:, None], None


@register
class CenterLoss(TorchLayer):
    def fillers(self) -> Sequence[Any]:
        return [self.p.center_filler]

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        axis = axis_of(bottoms[0], self.p.axis)
        x = bottoms[0].reshape(bottoms[0].shape[:axis].numel(), -1)
        index, _ = class_labels(self, bottoms[1].detach().flatten(), self.params[0].shape[0], None)
        return [apply(_CenterLoss, x, self.params[0], index)]
