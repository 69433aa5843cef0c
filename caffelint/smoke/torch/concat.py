"""Layers that put blobs together along an axis, and take them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from caffelint.smoke.torch.base import TorchLayer, axis_of, register

if TYPE_CHECKING:
    from torch import Tensor


def shared_axis(p: Any, old: str, x: Tensor) -> int:
    """Axis of a Concat or Slice: `axis`, or the older concat_dim or slice_dim."""
    return int(getattr(p, old)) if p.HasField(old) else axis_of(x, p.axis)


@register
class Concat(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return [torch.cat(bottoms, shared_axis(self.p, "concat_dim", bottoms[0]))] if len(bottoms) > 1 else bottoms


@register
class Slice(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        axis = shared_axis(self.p, "slice_dim", x)
        points = [int(point) for point in self.p.slice_point]
        if not points:
            return torch.split(x, x.shape[axis] // len(self.spec.tops), axis)
        ends = [*points, x.shape[axis]]
        return torch.split(x, [end - start for start, end in zip([0, *points], ends, strict=True)], axis)
