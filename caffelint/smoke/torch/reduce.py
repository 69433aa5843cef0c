"""Layers that combine or boil down values: Eltwise, Reduction, ArgMax, Softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from caffelint.smoke.torch.base import TorchLayer, apply, axis_of, register

if TYPE_CHECKING:
    from torch import Tensor

PROD, SUM, MAX = 0, 1, 2
REDUCE_SUM, ASUM, SUMSQ, MEAN = 1, 2, 3, 4


class _Product(torch.autograd.Function):
    """The gradient without stable_prod_grad: the top divided by each bottom, nan where that is 0."""

    @staticmethod
    def forward(ctx: Any, *bottoms: Any) -> Any:
        top = bottoms[0] * bottoms[1]
        for x in bottoms[2:]:
            top *= x
        ctx.save_for_backward(top, *bottoms)
        return top

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        top, *bottoms = ctx.saved_tensors
        return tuple(top / x * gradients[0] for x in bottoms)


@register
class Eltwise(TorchLayer):
    @property
    def leaves_top(self) -> bool:  # type: ignore[override]
        return bool(self.p.operation == SUM)

    def set_up(self) -> None:
        self.coefficients = [coeff if coeff != 1 else None for coeff in self.p.coeff] or [None] * len(self.spec.bottoms)

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        operation = self.p.operation
        top = bottoms[0]
        if operation == SUM:
            if self.coefficients[0] is not None:
                top = top * self.coefficients[0]
            for x, coefficient in zip(bottoms[1:], self.coefficients[1:], strict=True):
                top = top + x if coefficient is None else top.add(x, alpha=coefficient)
        elif operation == MAX:
            # Of equal values the gradient goes to the second of the first two bottoms, else to the earlier one.
            top = torch.where(top > bottoms[1], top, bottoms[1])
            for x in bottoms[2:]:
                top = torch.where(x > top, x, top)
        elif self.p.stable_prod_grad:
            for x in bottoms[1:]:
                top = top * x
        else:
            top = apply(_Product, *bottoms)
        return [top]


@register
class Reduction(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        axis = axis_of(x, self.p.axis)
        rows = x.reshape(*x.shape[:axis], -1)
        operation, coeff = self.p.operation, self.p.coeff
        if operation == ASUM:
            rows = rows.abs()
        elif operation == SUMSQ:
            rows = rows.square()
        top = rows.mean(-1) if operation == MEAN else rows.sum(-1)
        return [top if coeff == 1 else top * coeff]


@register
class ArgMax(TorchLayer):
    """Of equal values the one with the larger index comes first, as pairs are sorted (argmax_layer.cpp)."""

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x = bottoms[0]
        p = self.p
        top_k = int(p.top_k)
        if p.HasField("axis"):
            axis = axis_of(x, p.axis)
            values, index = self._largest(x, axis, top_k)
            return [values if p.out_max_val else index]
        values, index = self._largest(x.reshape(x.shape[0], -1), 1, top_k)
        axes = max(3, x.dim()) - 3
        top = torch.stack([index, values], 1) if p.out_max_val else index[:, None]
        return [top.reshape(*top.shape, *[1] * axes)]

    @staticmethod
    def _largest(x: Tensor, axis: int, top_k: int) -> tuple[Tensor, Tensor]:
        values, order = torch.sort(x.flip(axis), dim=axis, descending=True, stable=True)
        index = x.shape[axis] - 1 - order.narrow(axis, 0, top_k)
        return values.narrow(axis, 0, top_k), index.to(x.dtype)


@register
class Softmax(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return [bottoms[0].softmax(self.p.axis)]


@register
class Axpy(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        gate, x, y = bottoms
        return [torch.addcmul(y, gate.reshape(*x.shape[:2], *[1] * (x.dim() - 2)), x)]
