"""Convolution and what shares its parameters: Deconvolution, Im2col."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as functional

from caffelint.smoke.torch.base import TorchLayer, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer

MOST_AXES = 3
FORWARD: tuple[Callable[..., Tensor], ...] = (functional.conv1d, functional.conv2d, functional.conv3d)
TRANSPOSED: tuple[Callable[..., Tensor], ...] = (
    functional.conv_transpose1d,
    functional.conv_transpose2d,
    functional.conv_transpose3d,
)


class Windowed(TorchLayer):
    """Kernel, stride, pad and dilation are those of the built layer, one per spatial axis."""

    def set_up(self) -> None:
        spec: Any = self.spec
        self.axis: int = spec.channel_axis
        self.kernel: list[int] = spec.kernel
        self.stride: list[int] = spec.stride
        self.pad: list[int] = spec.pad
        self.dilation: list[int] = spec.dilation
        # Where the kernel is larger than the padded bottom by less than a stride, Caffe's division gives one window.
        self.beyond: list[int] = []
        for axis, size in enumerate(spec.bottoms[0].shape[self.axis + 1 :]):
            extent = self.dilation[axis] * (self.kernel[axis] - 1) + 1
            self.beyond = [0, max(0, extent - size - 2 * self.pad[axis]), *self.beyond]

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        window: Any = spec
        if not hasattr(spec, "kernel"):
            return "the size of its kernel, or the shape of its bottom, is not known before it runs"
        if min(window.stride, default=1) <= 0:
            return "a stride of 0, by which Caffe divides"
        if len(window.kernel) > MOST_AXES:
            return f"its bottom has {len(window.kernel)} spatial axes; torch convolves at most {MOST_AXES}"
        return None

    def widened(self, x: Tensor) -> Tensor:
        return functional.pad(x, self.beyond) if any(self.beyond) else x


class Weighted(Windowed):
    """base_conv_layer.cpp; axes before the channels make up the batch."""

    leaves_top = True

    def set_up(self) -> None:
        super().set_up()
        self.groups = int(self.p.group)
        # With a dilation of 0 all of a kernel is on one pixel.
        self.collapsed = [axis + 2 for axis, dilation in enumerate(self.dilation) if dilation == 0]
        self.dilation = [max(dilation, 1) for dilation in self.dilation]

    def fillers(self) -> Sequence[Any]:
        return [self.p.weight_filler, self.p.bias_filler][: 2 if self.p.bias_term else 1]

    def convolve(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        raise NotImplementedError

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        weight = self.params[0]
        for axis in self.collapsed:
            weight = weight.sum(axis, keepdim=True)
        bias = self.params[1] if len(self.params) > 1 else None
        if self.axis == 1:
            return [self._in_precision(x, weight, bias) for x in bottoms]
        tops = []
        for x in bottoms:
            before = x.shape[: self.axis]
            y = self._in_precision(x.reshape(-1, *x.shape[self.axis :]), weight, bias)
            tops.append(y.reshape(*before, *y.shape[1:]))
        return tops

    def _in_precision(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """On a CPU the backward of halves takes a hundred times as long as that of floats, rounded before and after."""
        if not (x.is_cpu and torch.is_autocast_enabled("cpu")):
            return self.convolve(x, weight, bias)
        with torch.autocast("cpu", enabled=False):
            rounded = bias if bias is None else bias.half().float()
            return self.convolve(x.half().float(), weight.half().float(), rounded).half()


@register
class Convolution(Weighted):
    def set_up(self) -> None:
        super().set_up()
        # Without spatial axes it is a product with a matrix, as a convolution of single pixels.
        self.function = FORWARD[max(len(self.kernel), 1) - 1]

    def convolve(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if not self.kernel:
            x, weight = x.unsqueeze(-1), weight.unsqueeze(-1)
            return self.function(x, weight, bias, groups=self.groups).squeeze(-1)
        return self.function(self.widened(x), weight, bias, self.stride, self.pad, self.dilation, self.groups)


@register
class Deconvolution(Weighted):
    def set_up(self) -> None:
        super().set_up()
        self.function = TRANSPOSED[max(len(self.kernel), 1) - 1]

    def convolve(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if not self.kernel:
            x, weight = x.unsqueeze(-1), weight.unsqueeze(-1)
            return self.function(x, weight, bias, groups=self.groups).squeeze(-1)
        return self.function(x, weight, bias, self.stride, self.pad, 0, self.groups, self.dilation)


@register
class DepthwiseConvolution(Convolution):
    pass


@register
class ConvolutionDepthwise(Convolution):
    def set_up(self) -> None:
        super().set_up()
        self.groups = self.spec.params[0].shape[0] if self.spec.params else 1


@register
class Im2col(Windowed):
    """The values under each window, as channels: channels x kernel positions, then window positions."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if hasattr(spec, "kernel") else "the shape of its bottom is not known before it runs"

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        axis = self.axis
        before = x.shape[:axis]
        x = x.reshape(-1, *x.shape[axis:])
        x = functional.pad(x, [side for pad in reversed(self.pad) for side in (pad, pad)])
        x = self.widened(x).contiguous()
        axes = len(self.kernel)
        sizes = [
            (size - dilation * (kernel - 1) - 1) // stride + 1
            for size, kernel, stride, dilation in zip(x.shape[2:], self.kernel, self.stride, self.dilation, strict=True)
        ]
        steps = x.stride()
        windows = x.as_strided(
            (*x.shape[:2], *self.kernel, *sizes),
            (
                *steps[:2],
                *(step * dilation for step, dilation in zip(steps[2:], self.dilation, strict=True)),
                *(step * stride for step, stride in zip(steps[2:], self.stride, strict=True)),
            ),
        )
        channels = x.shape[1] * windows.shape[2 : 2 + axes].numel()
        return [windows.reshape(*before, channels, *sizes)]
