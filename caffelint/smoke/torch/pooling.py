"""Pooling, and the pyramid of poolings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as functional

from caffelint.caffe.layers.pooling import pooled_size
from caffelint.smoke.torch.base import FLT_MAX, TorchLayer, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer

MAX, AVE, STOCHASTIC = 0, 1, 2
AVE_EXC_PAD = 10006
"""The average of a window without its padding: Synopsys' fork."""
Pair = tuple[int, int]


class Windows:
    """The windows of a pooling on maps of one size: (height, width) of each.

    plain: does torch, with its own padding and rounding, have the same windows?
    """

    def __init__(self, size: Pair, kernel: Pair, stride: Pair, pad: Pair, number: Pair) -> None:
        self.size = size
        self.kernel = kernel
        self.stride = stride
        self.pad = pad
        self.number = number
        # How far the last window reaches past the map.
        self.after = tuple(
            (count - 1) * step + window - length - before
            for length, window, step, before, count in zip(size, kernel, stride, pad, number, strict=True)
        )
        whole = tuple(
            (length + 2 * before - window) // step + 1 == count
            for length, window, step, before, count in zip(size, kernel, stride, pad, number, strict=True)
        )
        self.ceil = not all(whole)
        halves = all(2 * before <= window for before, window in zip(pad, kernel, strict=True))
        self.plain = halves and number == tuple(
            self._torch_number(axis) if self.ceil else (size[axis] + 2 * pad[axis] - kernel[axis]) // stride[axis] + 1
            for axis in (0, 1)
        )
        self.covers_all = kernel == size and number == (1, 1) and pad == (0, 0)

    def _torch_number(self, axis: int) -> int:
        room = self.size[axis] + 2 * self.pad[axis] - self.kernel[axis]
        number = -(-room // self.stride[axis]) + 1
        return number - ((number - 1) * self.stride[axis] >= self.size[axis] + self.pad[axis])

    def padded(self, x: Tensor, value: float) -> Tensor:
        """The map with all that windows reach beyond it."""
        (top, left), (bottom, right) = self.pad, self.after
        return functional.pad(x, (left, max(right, 0), top, max(bottom, 0)), value=value)

    def divisors(self) -> list[list[int]]:
        """Elements of each window, including padding up to one `pad` after the map (pooling_layer.cpp)."""
        spans = []
        for axis in (0, 1):
            end = self.size[axis] + self.pad[axis]
            starts = [index * self.stride[axis] - self.pad[axis] for index in range(self.number[axis])]
            spans.append([min(start + self.kernel[axis], end) - start for start in starts])
        return [[tall * wide for wide in spans[1]] for tall in spans[0]]


def max_pool(x: Tensor, windows: Windows) -> Tensor:
    kernel, stride = windows.kernel, windows.stride
    if windows.plain:
        return functional.max_pool2d(x, kernel, stride, windows.pad, ceil_mode=windows.ceil)
    return functional.max_pool2d(windows.padded(x, -FLT_MAX), kernel, stride)


def max_pool_with_mask(x: Tensor, windows: Windows) -> tuple[Tensor, Tensor]:
    """Top and its mask: the position of the greatest value in the map, -1 if the window covers no pixel."""
    padded = windows.padded(x, -FLT_MAX)
    top, index = functional.max_pool2d(padded, windows.kernel, windows.stride, return_indices=True)
    width = padded.shape[3]
    row, column = index // width - windows.pad[0], index % width - windows.pad[1]
    inside = (row >= 0) & (row < x.shape[2]) & (column >= 0) & (column < x.shape[3])
    mask = torch.where(inside, row * x.shape[3] + column, -1).to(x.dtype)
    return top, mask


def average_pool(x: Tensor, windows: Windows) -> Tensor:
    if windows.covers_all:
        return x.mean((2, 3), keepdim=True)
    if windows.plain:
        return functional.avg_pool2d(x, windows.kernel, windows.stride, windows.pad, ceil_mode=windows.ceil)
    sums = functional.avg_pool2d(windows.padded(x, 0), windows.kernel, windows.stride, divisor_override=1)
    return sums / torch.tensor(windows.divisors(), dtype=x.dtype, device=x.device)


def average_inside(x: Tensor, windows: Windows) -> Tensor:
    """The mean of the part of each window that is on the map; 0 if no part is."""
    number = [
        functional.avg_pool2d(windows.padded(values, 0), windows.kernel, windows.stride, divisor_override=1)
        for values in (x, torch.ones_like(x[:1, :1]))
    ]
    return number[0] / number[1].clamp(min=1)


@register
class Pooling(TorchLayer):
    def set_up(self) -> None:
        spec: Any = self.spec
        self.windows: Windows | None = None
        self.method: int = self.p.pool
        self.is_global: bool = spec.is_global
        self.floor: bool = self.p.round_mode != 0

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        if not hasattr(spec, "windows"):
            return "the size of its windows, or the shape of its bottom, is not known before it runs"
        if spec.parameters.pool not in (MAX, AVE, STOCHASTIC, AVE_EXC_PAD):
            return "what this pooling computes is not known here"
        return None

    def lay(self, size: Pair) -> Windows:
        """The windows on a map of (height, width)."""
        spec: Any = self.spec
        kernel = size if self.is_global else spec.kernel
        number = tuple(
            pooled_size(size[axis], kernel[axis], spec.stride[axis], spec.pad[axis], any(spec.pad), self.floor)
            for axis in (0, 1)
        )
        return Windows(size, kernel, spec.stride, spec.pad, number)  # type: ignore[arg-type]

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        windows = self.windows
        if windows is None or windows.size != x.shape[2:]:
            windows = self.windows = self.lay((x.shape[2], x.shape[3]))
        if self.method == MAX:
            return max_pool_with_mask(x, windows) if len(self.spec.tops) > 1 else [max_pool(x, windows)]
        if self.method == AVE:
            return [average_pool(x, windows)]
        if self.method == AVE_EXC_PAD:
            return [average_inside(x, windows)]
        return [self.stochastic(x, windows)]

    def stochastic(self, x: Tensor, windows: Windows) -> Tensor:
        """One value drawn with its own size as its weight; in the TEST phase the mean with these weights (GPU only)."""
        padded = windows.padded(x, 0)
        patches = padded.unfold(2, windows.kernel[0], windows.stride[0]).unfold(3, windows.kernel[1], windows.stride[1])
        values = patches.reshape(*patches.shape[:4], -1)
        total = values.sum(-1)
        if not self.train:
            # The sum starts at FLT_MIN, so a window of zeros gives 0.
            return values.square().sum(-1) / total.clamp(min=1.1754943508222875e-38)
        drawn = torch.rand(total.shape, generator=self.generator, device=x.device) * total.detach()
        index = (values.detach().cumsum(-1) < drawn[..., None]).sum(-1, keepdim=True)
        return values.gather(-1, index.clamp(max=values.shape[-1] - 1)).squeeze(-1)


@register
class SPP(TorchLayer):
    """Each level is a pooling of 2^level x 2^level windows (spp_layer.cpp, GetPoolingParam)."""

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        size: Pair = (x.shape[2], x.shape[3])
        levels = []
        for level in range(self.p.pyramid_height):
            bins = 2**level
            kernel = (math.ceil(size[0] / bins), math.ceil(size[1] / bins))
            pad = ((kernel[0] * bins - size[0] + 1) // 2, (kernel[1] * bins - size[1] + 1) // 2)
            number = tuple(pooled_size(size[i], kernel[i], kernel[i], pad[i], any(pad)) for i in (0, 1))
            windows = Windows(size, kernel, kernel, pad, number)  # type: ignore[arg-type]
            levels.append(max_pool(x, windows) if self.p.pool == MAX else average_pool(x, windows))
        if len(levels) == 1:
            return levels
        return [torch.cat([pooled.flatten(1) for pooled in levels], 1)]

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return "Caffe pools stochastically only on a GPU" if spec.parameters.pool == STOCHASTIC else None
