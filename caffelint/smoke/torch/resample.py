"""Layers of forks that resize maps or reorder axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch.nn.functional as functional

from caffelint.smoke.torch.base import TorchLayer, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer


@register
class Permute(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        order = [int(axis) for axis in self.p.order]
        return [bottoms[0].permute(*order, *(axis for axis in range(bottoms[0].dim()) if axis not in order))]


@register
class ShuffleChannel(TorchLayer):
    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        group = spec.parameters.group
        shape = spec.bottoms[0].shape
        return "group does not divide the channels" if group < 1 or shape and shape[1] % group else None

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        group = int(self.p.group)
        grouped = x.reshape(x.shape[0], group, x.shape[1] // group, *x.shape[2:])
        return [grouped.transpose(1, 2).reshape(x.shape)]


@register
class Reorg(TorchLayer):
    """Moves pixels into channels, in the order of darknet, which takes the map for one with fewer channels."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        shape, stride = spec.bottoms[0].shape, spec.parameters.stride
        if shape is None or spec.tops[0].shape is None:
            return "the shape of its bottom, or its stride, is not known before it runs"
        if shape[1] % (stride * stride) or not spec.parameters.reverse and (shape[2] % stride or shape[3] % stride):
            return f"a stride of {stride} does not divide {shape[1]} channels and {shape[2]} x {shape[3]} pixels"
        return None

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        stride = int(self.p.stride)
        num, channels, height, width = x.shape
        fewer = channels // (stride * stride)
        if self.p.reverse:
            parts = x.reshape(num, stride, stride, fewer, height, width).permute(0, 3, 4, 1, 5, 2)
            return [parts.reshape(num, fewer, height * stride, width * stride)]
        parts = x.reshape(num, fewer, height, stride, width, stride).permute(0, 3, 5, 1, 2, 4)
        return [parts.reshape(num, channels * stride * stride, height // stride, width // stride)]


@register
class Upsample(TorchLayer):
    """To where the mask of a Pooling says, zeros elsewhere (SegNet); without a mask by repeating pixels (YOLO)."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if spec.tops[0].shape is not None else "the shape of its top is not known before it runs"

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        _, _, height, width = self.spec.tops[0].shape or (0, 0, 0, 0)
        if len(bottoms) == 1:
            return [functional.interpolate(x, scale_factor=float(self.p.scale), mode="nearest")]
        index = bottoms[1].detach().long().flatten(2)
        if index.numel() and int(index.max()) >= height * width:
            raise self.error(f"its mask points to pixel {int(index.max())} of a top of {height}x{width}")
        top = x.new_zeros(*x.shape[:2], height * width)
        return [top.scatter(2, index, x.flatten(2)).view(*x.shape[:2], height, width)]


@register
class Interp(TorchLayer):
    """Bilinear, with the corners on the corners; negative pads cut pixels off."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if spec.tops[0].shape is not None else "the shape of its top is not known before it runs"

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        size = (self.spec.tops[0].shape or ())[2:]
        first, last = self.p.pad_beg, self.p.pad_end
        if first or last:
            x = functional.pad(x, (first, last, first, last))
        return [functional.interpolate(x, size=size, mode="bilinear", align_corners=True)]
