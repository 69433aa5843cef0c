"""Layers of forks that find objects: SSD, Faster R-CNN, R-FCN."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as functional

from caffelint.smoke.torch.base import TorchLayer, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer


@register
class PriorBox(TorchLayer):
    """Boxes as (left, top, right, bottom) in parts of the image, then their variances (prior_box_layer.cpp of SSD)."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return None if spec.tops[0].shape is not None else "the shape of its top is not known before it runs"

    def set_up(self) -> None:
        self.made: tuple[Any, Tensor] | None = None

    def sizes(self) -> list[tuple[float, float]]:
        """Width and height, in pixels, of the boxes of one place."""
        p = self.p
        ratios = [1.0]
        for ratio in p.aspect_ratio:
            if all(abs(ratio - known) >= 1e-6 for known in ratios):
                ratios += [ratio, 1 / ratio] if p.flip else [ratio]
        sizes = []
        for index, size in enumerate(p.min_size):
            sizes.append((size, size))
            if p.max_size:
                between = sqrt(size * p.max_size[index])
                sizes.append((between, between))
            sizes += [(size * sqrt(ratio), size / sqrt(ratio)) for ratio in ratios[1:]]
        return sizes

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        key = (bottoms[0].shape[2:], bottoms[1].shape[2:])
        if self.made is None or self.made[0] != key:
            self.made = key, self._make(*key)
        return [self.made[1]]

    def _make(self, places: torch.Size, image: torch.Size) -> Tensor:
        p = self.p
        tall, wide = (p.img_h or p.img_size or image[0]), (p.img_w or p.img_size or image[1])
        step_h, step_w = (p.step_h or p.step or tall / places[0]), (p.step_w or p.step or wide / places[1])
        y = ((torch.arange(places[0]) + p.offset) * step_h)[:, None, None]
        x = ((torch.arange(places[1]) + p.offset) * step_w)[None, :, None]
        sizes = torch.tensor(self.sizes())
        half_w, half_h = sizes[:, 0] / 2, sizes[:, 1] / 2
        shape = (*places, len(sizes))
        sides = [(x - half_w) / wide, (y - half_h) / tall, (x + half_w) / wide, (y + half_h) / tall]
        boxes = torch.stack([side.expand(shape) for side in sides], -1)
        if p.clip:
            boxes = boxes.clamp(0, 1)
        variance = torch.tensor(list(p.variance) or [0.1])
        variances = variance.expand(4) if len(variance) == 1 else variance
        top = torch.stack([boxes.reshape(-1), variances.repeat(boxes.numel() // 4)])[None]
        return top.to(self.device)


@register
class ROIPooling(TorchLayer):
    """The greatest value of each bin of each region, 0 where a bin is empty (roi_pooling_layer.cpp of Fast R-CNN)."""

    @classmethod
    def why_not(cls, spec: BuiltLayer) -> str | None:
        return "forks differ in what pad_ratio does" if spec.parameters.HasField("pad_ratio") else None

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        bins = (int(self.p.pooled_h), int(self.p.pooled_w))
        scaled = bottoms[1].detach().reshape(-1, 5).cpu() * torch.tensor([1.0, *[self.p.spatial_scale] * 4])
        tops = []
        # Halves are rounded away from 0, as C's round does.
        for item, left, top, right, bottom in (scaled.sign() * (scaled.abs() + 0.5).floor()).long().tolist():
            right, bottom = max(right, left), max(bottom, top)
            inside = x[item : item + 1, :, max(top, 0) : max(bottom + 1, 0), max(left, 0) : max(right + 1, 0)]
            if not inside.numel():
                tops.append(x.new_zeros(1, x.shape[1], *bins))
                continue
            before, above = max(-left, 0), max(-top, 0)
            after = right + 1 - left - before - inside.shape[3]
            below = bottom + 1 - top - above - inside.shape[2]
            if before or above or after or below:
                inside = functional.pad(inside, (before, after, above, below), value=-torch.inf)
            pooled = functional.adaptive_max_pool2d(inside, bins)
            tops.append(torch.where(pooled == -torch.inf, 0, pooled))
        return [torch.cat(tops) if tops else x.new_zeros(0, x.shape[1], *bins)]


@register
class PSROIPooling(TorchLayer):
    """Each bin of a region is the mean of a group of channels of its own (psroi_pooling_layer.cu of R-FCN)."""

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        group, outputs = int(self.p.group_size), int(self.p.output_dim)
        height, width = x.shape[2:]
        parts = x.reshape(x.shape[0], outputs, group, group, height, width)
        regions = bottoms[1].detach().reshape(-1, 5)
        tops = [
            torch.einsum("oijhw,ih,jw->oij", parts[int(region[0])], rows, columns)
            for region, rows, columns in zip(
                regions,
                self._bins(regions[:, 2], regions[:, 4], group, height),
                self._bins(regions[:, 1], regions[:, 3], group, width),
                strict=True,
            )
        ]
        return [torch.stack(tops) if tops else x.new_zeros(0, outputs, group, group)]

    def _bins(self, first: Tensor, last: Tensor, group: int, size: int) -> Tensor:
        """The weights of the pixels of one axis in each bin: regions x bins x pixels."""
        scale = self.p.spatial_scale
        start, end = first.round() * scale, (last.round() + 1) * scale
        step = (end - start).clamp(min=0.1)[:, None] / group
        bins = torch.arange(group, device=first.device)
        low = (bins * step + start[:, None]).floor().clamp(0, size)
        high = ((bins + 1) * step + start[:, None]).ceil().clamp(0, size)
        pixels = torch.arange(size, device=first.device)
        inside = (pixels >= low[..., None]) & (pixels < high[..., None])
        weights: Tensor = inside / inside.sum(-1, keepdim=True).clamp(min=1)
        return weights
