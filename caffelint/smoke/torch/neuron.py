"""Layers that work on one value at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
import torch.nn.functional as functional

from caffelint.smoke.torch.base import TorchLayer, apply, register

if TYPE_CHECKING:
    from torch import Tensor

    from caffelint.caffe.layers import BuiltLayer


class Neuron(TorchLayer):
    def value(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return [self.value(bottoms[0])]


@register
class AbsVal(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return x.abs()


@register
class BNLL(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return functional.softplus(x)


@register
class Clip(Neuron):
    """What is nan becomes the lower end, and so does all where that is above the upper one."""

    def value(self, x: Tensor) -> Tensor:
        low, high = self.p.min, self.p.max
        x = torch.nan_to_num(x, nan=low, posinf=math.inf, neginf=-math.inf)
        return x.clamp(low, high) if low <= high else x.clamp(max=high).clamp(min=low)


@register
class Dropout(Neuron):
    """mask: what the bottom is multiplied by in the next passes, in place of random numbers, where it is given."""

    overwrites = True
    mask: Tensor | None = None

    def set_up(self) -> None:
        self.ratio: float = self.p.dropout_ratio
        self.scale = 1 / (1 - self.ratio) if self.ratio != 1 else math.inf

    def value(self, x: Tensor) -> Tensor:
        if not self.train:
            return x
        mask = self.mask
        if mask is None:
            mask = torch.empty_like(x, memory_format=torch.preserve_format, requires_grad=False)
            mask.bernoulli_(1 - self.ratio, generator=self.generator).mul_(self.scale)
        return x.mul_(mask) if self.in_place else x * mask


@register
class ELU(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return functional.elu(x, self.p.alpha)


@register
class Exp(Neuron):
    def set_up(self) -> None:
        base = self.p.base
        self.inner: float = self.p.scale * (1 if base == -1 else math.log(base))
        self.outer: float = 1 if not self.p.shift else math.exp(self.p.shift) if base == -1 else base**self.p.shift

    def value(self, x: Tensor) -> Tensor:
        x = torch.exp(x * self.inner if self.inner != 1 else x)
        return x * self.outer if self.outer != 1 else x


@register
class Log(Neuron):
    def value(self, x: Tensor) -> Tensor:
        scale, shift, base = self.p.scale, self.p.shift, self.p.base
        if scale != 1:
            x = x * scale
        x = torch.log(x + shift if shift else x)
        return x if base == -1 else x * (1 / math.log(base))


class _Power(torch.autograd.Function):
    """Backward divides the top by the base, so where that is 0 the gradient is nan (power_layer.cpp)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, power: float, scale: float, shift: float) -> Tensor:
        base = x * scale + shift
        top = base.pow(power)
        ctx.factor = power * scale
        ctx.save_for_backward(base, top)
        return top

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        base, top = ctx.saved_tensors
        return (top / base).mul_(ctx.factor).mul_(gradients[0]), None, None, None


@register
class Power(Neuron):
    def value(self, x: Tensor) -> Tensor:
        power, scale, shift = self.p.power, self.p.scale, self.p.shift
        if power * scale == 0:
            constant = 1.0 if power == 0 else float(torch.tensor(shift).pow(power))
            return cast("Tensor", apply(_Constant, x, constant))
        if power == 1:
            x = x * scale if scale != 1 else x
            return x + shift if shift else x
        if power == 2:
            x = x * scale if scale != 1 else x
            return (x + shift if shift else x).square()
        return cast("Tensor", apply(_Power, x, power, scale, shift))


class _Constant(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, value: float) -> Tensor:
        return torch.full_like(x, value)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return torch.zeros_like(gradients[0]), None


@register
class PReLU(Neuron):
    def fillers(self) -> Sequence[Any]:
        return [self.p.filler if self.p.HasField("filler") else 0.25]

    def value(self, x: Tensor) -> Tensor:
        return functional.prelu(x, self.params[0].view(-1))


@register
class ReLU(Neuron):
    overwrites = True

    def set_up(self) -> None:
        self.slope: float = self.p.negative_slope
        self.passes_nan = not self.slope and _may_break(self.spec)

    def value(self, x: Tensor) -> Tensor:
        if self.slope:
            return functional.leaky_relu(x, self.slope)
        if self.passes_nan:
            return cast("Tensor", apply(_ReLU, x))
        return x.relu_() if self.in_place else x.relu()


class _ReLU(torch.autograd.Function):
    """A gradient that is nan stays so where the ReLU is closed: Caffe multiplies it by 0 (relu_layer.cpp)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        top = x.relu()
        ctx.save_for_backward(top)
        return top

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (top,) = ctx.saved_tensors
        return gradients[0] * (top > 0)


def _may_break(spec: BuiltLayer) -> bool:
    """Whether a layer after this one, before the next that learns, may give a gradient of 0/0 if it reads 0."""
    pending, seen = list(spec.tops), set()
    while pending:
        for layer, _ in pending.pop().consumers:
            if layer in seen:
                continue
            seen.add(layer)
            if layer.type == "Sqrt" or (layer.type == "Power" and layer.parameters.power not in (0, 1, 2)):
                return True
            if layer.type == "Eltwise" and layer.parameters.operation == layer.parameters.PROD:
                return True
            if not layer.params:
                pending += layer.tops
    return False


@register
class Sigmoid(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return x.sigmoid()


@register
class Swish(Neuron):
    def value(self, x: Tensor) -> Tensor:
        beta = self.p.beta
        return functional.silu(x) if beta == 1 else x * torch.sigmoid(x * beta)


@register
class TanH(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return x.tanh()


@register
class Threshold(Neuron):
    def value(self, x: Tensor) -> Tensor:
        above: Tensor = x > self.p.threshold
        return above.to(x.dtype)


@register
class ReLU6(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return functional.relu6(x)


@register
class HardSwish(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return functional.hardswish(x)


@register
class Mish(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return functional.mish(x)


@register
class SELU(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return functional.selu(x)


@register
class SeLu(SELU):
    pass


@register
class GELU(Neuron):
    def value(self, x: Tensor) -> Tensor:
        return functional.gelu(x)
