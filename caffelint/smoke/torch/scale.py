"""Scale and Bias: a factor or summand for every channel, learned or taken from a second bottom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from caffelint.smoke.torch.base import TorchLayer, axis_of, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.smoke.torch.normalization import BatchNorm


def laid_along(small: Tensor, x: Tensor, axis: int) -> Tensor:
    """`small` with its axes at those of `x` from `axis` on, to be broadcast."""
    after = x.dim() - axis - small.dim()
    return small.reshape(*small.shape, *[1] * after) if small.dim() else small


@register
class Bias(TorchLayer):
    leaves_top = True

    def fillers(self) -> Sequence[Any]:
        return [self.p.filler] if len(self.spec.bottoms) == 1 else []

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        small = bottoms[1] if len(bottoms) > 1 else self.params[0]
        return [x + laid_along(small, x, axis_of(x, self.p.axis))]


@register
class Scale(TorchLayer):
    leaves_top = True

    def set_up(self) -> None:
        self.learned = len(self.spec.bottoms) == 1
        # Fixed statistics of mean 0 and variance 1 leave a batch normalisation with nothing but scale and shift, which
        # torch then does in one go.
        self.channels: tuple[Tensor, Tensor] | None = None
        shape = self.spec.bottoms[0].shape
        if self.learned and self.p.bias_term and shape is not None and len(shape) > 1:
            if self.p.axis in (1, 1 - len(shape)) and self.p.num_axes == 1:
                self.channels = (
                    torch.zeros(shape[1], device=self.device),
                    torch.ones(shape[1], device=self.device),
                )

    def fillers(self) -> Sequence[Any]:
        scale = [self.p.filler if self.p.HasField("filler") else 1.0] if self.learned else []
        return [*scale, self.p.bias_filler] if self.p.bias_term else scale

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        if self.channels is not None and x.dtype == torch.float32:
            return [torch.batch_norm(x, self.params[0], self.params[1], *self.channels, False, 0, 0, True)]
        axis = axis_of(x, self.p.axis)
        small = laid_along(self.params[0] if self.learned else bottoms[1], x, axis)
        if not self.p.bias_term:
            return [x * small]
        shift = laid_along(self.params[-1], x, axis)
        return [torch.addcmul(shift, x, small)]


class Scaled(TorchLayer):
    """A BatchNorm with the Scale after it, as one layer with the name of the BatchNorm."""

    leaves_top = True

    def __init__(self, norm: BatchNorm, scale: Scale) -> None:
        self.norm = norm
        self.scale = scale
        super().__init__(norm.spec, norm.device, norm.generator, norm.fill)
        self.writes = scale.spec

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return [self.norm.normalise(bottoms[0], *self.scale.params)]
