"""Layers that normalise: LRN, BatchNorm, MVN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as functional

from caffelint.smoke.torch.base import TorchLayer, apply, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.shapes import Shape

WITHIN_CHANNEL = 1
# Fields of forks that change what a BatchNorm computes in a way that is not known here.
CHANGE = ("use_alpha_beta", "disable_mean", "disable_variance", "stats_batch_size", "relu", "fused_relu", "icnet")


def _to_power(scale: Tensor, beta: float) -> Tensor:
    """scale ^ -beta; 0.75, which nearly all nets have, as two square roots."""
    if beta == 0.75:
        root = scale.rsqrt()
        return root.mul_(root.sqrt())
    return scale.pow(-beta)


def _channel_sums(x: Tensor, size: int) -> Tensor:
    """Sum over `size` neighbouring channels around each."""
    half = size // 2
    total = x.clone()
    for step in range(1, min(half, x.shape[1] - 1) + 1):
        total[:, step:] += x[:, :-step]
        total[:, :-step] += x[:, step:]
    return total


class _AcrossChannels(torch.autograd.Function):
    """lrn_layer.cpp CrossChannelForward, CrossChannelBackward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
        scale = _channel_sums(x * x, size).mul_(alpha / size).add_(k)
        power = _to_power(scale, beta)
        ctx.save_for_backward(x, scale, power)
        ctx.numbers = size, 2 * alpha * beta / size
        return x * power

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, scale, power = ctx.saved_tensors
        size, factor = ctx.numbers
        direct = gradients[0] * power
        ratio = (direct * x).div_(scale)
        return direct.addcmul_(x, _channel_sums(ratio, size), value=-factor), None, None, None, None


@register
class LRN(TorchLayer):
    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if spec.parameters.norm_region in (0, WITHIN_CHANNEL) else "Caffe 1.0 has no such norm_region"

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        size, alpha, beta = int(self.p.local_size), self.p.alpha, self.p.beta
        if self.p.norm_region == WITHIN_CHANNEL:
            # k is not looked at, and alpha is of the mean; what is padded counts (lrn_layer.cpp LayerSetUp).
            scale = functional.avg_pool2d(x * x, size, 1, size // 2).mul(alpha).add(1)
            return [x * scale.pow(-beta)]
        return [apply(_AcrossChannels, x, size, alpha, beta, self.p.k)]


@register
class BatchNorm(TorchLayer):
    """Statistics are sums that fade, with their weight as third parameter (batch_norm_layer.cpp)."""

    leaves_top = True
    statistics = (0, 1, 2)

    def set_up(self) -> None:
        spec: Any = self.spec
        self.uses_global_stats: bool = spec.uses_global_stats
        self.fraction: float = self.p.moving_average_fraction
        self.eps: float = self.p.eps

    @classmethod
    def param_shapes(cls, spec: BuiltLayer) -> Sequence[Shape] | None:
        """Three; in NVCaffe scale and shift too, where scale_bias or a filler of one of them says so."""
        p = spec.parameters
        shape = spec.bottoms[0].shape
        if not _has_scale(p) or shape is None or len(shape) < 2 or any(p.HasField(name) for name in CHANGE):
            return super().param_shapes(spec)
        return [(shape[1],), (shape[1],), (1,), (shape[1],), (shape[1],)]

    def fillers(self) -> Sequence[Any]:
        p = self.p
        scale = [p.scale_filler if p.HasField("scale_filler") else 1.0, p.bias_filler] if _has_scale(p) else []
        return [0.0, 0.0, 0.0, *scale]

    def default_lr_mult(self, index: int) -> float:
        return 0.0 if index < 3 else 1.0

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        scale, shift = self.params[3:] or (None, None)
        return [self.normalise(bottoms[0], scale, shift)]

    def normalise(self, x: Tensor, scale: Tensor | None, shift: Tensor | None) -> Tensor:
        """The top, times the scale and plus the shift of a layer after it."""
        mean, variance, weight = self.params[:3]
        shape = x.shape
        if x.dim() == 1:
            x = x[:, None]
        if self.uses_global_stats:
            factor = torch.where(weight == 0, weight, 1 / weight)
            y = torch.batch_norm(x, scale, shift, mean * factor, variance * factor, False, 0, self.eps, True)
            return y.view(shape)
        batch_mean, batch_variance = torch.zeros_like(mean), torch.zeros_like(variance)
        if self.eps == 0 or x.numel() == x.shape[1]:
            y = _by_hand(x, batch_mean, batch_variance, self.eps)
            if scale is not None and shift is not None:
                y = y * scale.view(1, -1, *[1] * (x.dim() - 2)) + shift.view(1, -1, *[1] * (x.dim() - 2))
        else:
            # The variance that torch gives is already times m / (m - 1), as the running one of Caffe.
            y = torch.batch_norm(x, scale, shift, batch_mean, batch_variance, True, 1.0, self.eps, True)
        with torch.no_grad():
            weight.mul_(self.fraction).add_(1)
            mean.mul_(self.fraction).add_(batch_mean)
            variance.mul_(self.fraction).add_(batch_variance)
        return y.view(shape)


def _has_scale(p: Any) -> bool:
    return bool(p.scale_bias or p.HasField("scale_filler") or p.HasField("bias_filler"))


def _by_hand(x: Tensor, mean: Tensor, variance: Tensor, eps: float) -> Tensor:
    """x normalised, and its statistics: torch takes no single value, and gives 0 where Caffe gives 0/0 with eps 0."""
    axes = [axis for axis in range(x.dim()) if axis != 1]
    centred = x - x.mean(axes, keepdim=True)
    spread = centred.square().mean(axes, keepdim=True)
    with torch.no_grad():
        size = x.numel() // x.shape[1]
        mean.copy_(x.mean(axes))
        variance.copy_(spread.flatten() * (size / max(1, size - 1)))
    return centred / (spread + eps).sqrt()


class _Normalised(torch.autograd.Function):
    """Mean 0 and deviation 1 along the last axis; the backward takes eps as part of the deviation (mvn_layer.cpp)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float) -> Tensor:
        centred = x - x.mean(-1, keepdim=True)
        deviation = centred.square().mean(-1, keepdim=True).sqrt_().add_(eps)
        top = centred.div_(deviation)
        ctx.save_for_backward(top, deviation)
        return top

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        top, deviation = ctx.saved_tensors
        gradient = gradients[0]
        along = (top * gradient).mean(-1, keepdim=True)
        return (gradient - top * along - gradient.mean(-1, keepdim=True)) / deviation, None


@register
class MVN(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        x = x.reshape(*x.shape, *[1] * (4 - x.dim()))
        rows = x.flatten(1 if self.p.across_channels else 2)
        if self.p.normalize_variance:
            rows = apply(_Normalised, rows, self.p.eps)
        else:
            rows = rows - rows.mean(-1, keepdim=True)
        return [rows.view(x.shape)]


@register
class Normalize(TorchLayer):
    """L2 norm over the channels of each pixel, or over all of an item, times a learned scale (SSD)."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if spec.message.HasField("norm_param") else "forks differ in what a Normalize without norm_param is"

    def fillers(self) -> Sequence[Any]:
        return [self.p.scale_filler if self.p.HasField("scale_filler") else 1.0]

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        axes = list(range(1, x.dim())) if self.p.across_spatial else [1]
        norm = (x.square().sum(axes, keepdim=True) + self.p.eps).sqrt()
        scale = self.params[0]
        return [x / norm * (scale.view(1, -1, *[1] * (x.dim() - 2)) if scale.dim() else scale)]


@register
class BN(TorchLayer):
    """Batch normalisation with a scale and a shift.

    SegNet's has these two parameters alone and takes the batch's statistics; with the fields of PSPNet there are four,
    the running mean and variance last.
    """

    leaves_top = True
    statistics = (2, 3)

    def set_up(self) -> None:
        p = self.p
        self.running = _is_running(self.spec)
        self.eps: float = p.eps if self.running else p.var_eps
        self.frozen: bool = p.frozen or not self.train

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        if spec.parameters.icnet or spec.parameters.moving_average or spec.parameters.axis != 1:
            return "a field of bn_param changes what it computes in a way that is not known here"
        return None if spec.bottoms[0].shape is not None else "the shape of its bottom is not known before it runs"

    @classmethod
    def param_shapes(cls, spec: BuiltLayer) -> Sequence[Shape] | None:
        shape = spec.bottoms[0].shape
        if shape is None or len(shape) < 2:
            return None
        return [(1, shape[1], 1, 1)] * (4 if _is_running(spec) else 2)

    def fillers(self) -> Sequence[Any]:
        p = self.p
        if not self.running:
            return [p.scale_filler if p.HasField("scale_filler") else 1.0, p.shift_filler]
        return [p.slope_filler if p.HasField("slope_filler") else 1.0, p.bias_filler, 0.0, 0.0]

    def default_lr_mult(self, index: int) -> float:
        return 1.0 if index < 2 else 0.0

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        scale, shift = self.params[0].flatten(), self.params[1].flatten()
        if not self.running:
            return [functional.batch_norm(x, None, None, scale, shift, True, 0, self.eps)]
        mean, variance = (param.detach().flatten() for param in self.params[2:])
        momentum = 1 - self.p.momentum
        return [functional.batch_norm(x, mean, variance, scale, shift, not self.frozen, momentum, self.eps)]


def _is_running(spec: BuiltLayer) -> bool:
    """Is it PSPNet's, by its fields or its number of `param` blocks?"""
    p = spec.parameters
    theirs = ("frozen", "momentum", "eps", "slope_filler", "bias_filler")
    segnet = ("scale_filler", "shift_filler", "var_eps", "bn_mode", "across_spatial", "decay")
    if any(p.HasField(name) for name in theirs):
        return True
    return not any(p.HasField(name) for name in segnet) and len(spec.message.param) > 2
