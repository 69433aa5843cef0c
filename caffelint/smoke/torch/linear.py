"""Layers that multiply by a matrix of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch.nn.functional as functional

from caffelint.smoke.torch.base import TorchLayer, axis_of, register

if TYPE_CHECKING:
    from torch import Tensor


class Matrix(TorchLayer):
    leaves_top = True

    def fillers(self) -> Sequence[Any]:
        return [self.p.weight_filler, self.p.bias_filler][: 2 if self.p.bias_term else 1]

    @property
    def bias(self) -> Tensor | None:
        return self.params[1] if len(self.params) > 1 else None


@register
class InnerProduct(Matrix):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        axis = axis_of(x, self.p.axis)
        weight = self.params[0].t() if self.p.transpose else self.params[0]
        inputs = x.shape[axis:].numel()
        if inputs != weight.shape[1]:
            raise self.error(f"its weight takes {weight.shape[1]} inputs for each item, but gets {inputs}")
        return [functional.linear(x.reshape(*x.shape[:axis], inputs), weight, self.bias)]


@register
class Embed(Matrix):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        index = bottoms[0].long()
        rows = self.params[0].shape[0]
        if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < rows:
            raise self.error(f"index {int(index.min())} to {int(index.max())} outside the {rows} rows of its weight")
        top = functional.embedding(index, self.params[0])
        return [top if self.bias is None else top + self.bias]
