"""Layers that move values about and leave them as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffelint.smoke.torch.base import TorchLayer, axis_of, register

if TYPE_CHECKING:
    from torch import Tensor


@register
class Split(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return bottoms * len(self.spec.tops)


@register
class Flatten(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        start, end = axis_of(x, self.p.axis), axis_of(x, self.p.end_axis) + 1
        return [x.reshape(*x.shape[:start], x.shape[start:end].numel(), *x.shape[end:])]


@register
class Reshape(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        p = self.p
        start = p.axis if p.axis >= 0 else x.dim() + p.axis + 1
        end = x.dim() if p.num_axes == -1 else start + p.num_axes
        dims = [x.shape[start + index] if dim == 0 else int(dim) for index, dim in enumerate(p.shape.dim)]
        return [x.reshape((*x.shape[:start], *dims, *x.shape[end:]))]


@register
class Tile(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        times = [1] * x.dim()
        times[axis_of(x, self.p.axis)] = self.p.tiles
        return [x.repeat(times)]


@register
class Crop(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x, reference = bottoms
        axis = axis_of(x, self.p.axis)
        offsets = [int(offset) for offset in self.p.offset] or [0]
        for index in range(axis, x.dim()):
            offset = offsets[index - axis] if len(offsets) > 1 else offsets[0]
            if offset or x.shape[index] != reference.shape[index]:
                x = x.narrow(index, offset, reference.shape[index])
        return [x]


@register
class Silence(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return []


@register
class BatchReindex(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x, index = bottoms[0], bottoms[1].long()
        if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < x.shape[0]:
            raise self.error(f"index {int(index.min())} to {int(index.max())} outside of a batch of {x.shape[0]}")
        return [x.index_select(0, index)]


@register
class Filter(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        *values, selector = bottoms
        index = selector.flatten().nonzero().flatten()
        return [x.index_select(0, index) for x in values]


@register
class Squeeze(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return [bottoms[0].squeeze(tuple(self.p.axis)) if self.p.axis else bottoms[0].squeeze()]
