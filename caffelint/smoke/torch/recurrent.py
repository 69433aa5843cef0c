"""Layers that run over time: T x N x ..., T steps of N streams, which the second bottom cuts into sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as functional

from caffelint.smoke.torch.base import TorchLayer, apply, register

if TYPE_CHECKING:
    from torch import Tensor


class _Unit(torch.autograd.Function):
    """One step of an LSTM; the forget gate is cut by `cont` before its own slope is taken (lstm_unit_layer.cpp)."""

    @staticmethod
    def forward(ctx: Any, cell: Tensor, gates: Tensor, cont: Tensor) -> Any:
        i, f, o, g = gates.chunk(4, -1)
        i, o, g = i.sigmoid(), o.sigmoid(), g.tanh()
        # Where cont is 0 nothing of the past comes through, not even nan.
        f = torch.where(cont == 0, 0, cont * f.sigmoid())
        cell_after = torch.where(cont == 0, 0, f * cell) + i * g
        squashed = cell_after.tanh()
        ctx.save_for_backward(cell, i, f, o, g, squashed)
        return cell_after, o * squashed

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        cell, i, f, o, g, squashed = ctx.saved_tensors
        cell_gradient, hidden_gradient = gradients
        inner = cell_gradient + hidden_gradient * o * (1 - squashed * squashed)
        gates = torch.cat(
            [
                inner * g * i * (1 - i),
                inner * cell * f * (1 - f),
                hidden_gradient * squashed * o * (1 - o),
                inner * i * (1 - g * g),
            ],
            -1,
        )
        return inner * f, gates, None


class Recurrent(TorchLayer):
    """The net that Caffe unrolls (recurrent_layer.cpp). What the last step leaves begins the next pass.

    With expose_hidden the states come from bottoms and go to tops, and no gradient flows through either.
    """

    states = 1

    def set_up(self) -> None:
        shape: Any = self.spec.tops[0].shape
        self.hidden = [torch.zeros(shape[1:], device=self.device) for _ in range(self.states)]
        self.exposed = bool(self.p.expose_hidden)
        self.has_static = len(self.spec.bottoms) > 2 + self.states * self.exposed

    def step(self, inputs: Tensor, cont: Tensor, hidden: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """One step: what goes to the top, and the states after it."""
        raise NotImplementedError

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        x, cont = bottoms[:2]
        inputs = functional.linear(x.flatten(2), self.params[0], self.params[1])
        if self.has_static:
            inputs = inputs + functional.linear(bottoms[2].flatten(1), self.params[2])
        hidden = self.hidden
        if self.exposed:
            hidden = [bottom.detach()[0] for bottom in bottoms[2 + self.has_static :]]
        steps = []
        for now, going_on in zip(inputs, cont[:, :, None], strict=True):
            top, hidden = self.step(now, going_on, hidden)
            steps.append(top)
        tops = [torch.stack(steps)]
        self.hidden = [state.detach() for state in hidden]
        if self.exposed:
            tops += [state[None] for state in self.hidden]
        return tops


@register
class LSTM(Recurrent):
    """States are h and c; the order of gates is input, forget, output, new (lstm_layer.cpp)."""

    states = 2

    def fillers(self) -> Sequence[Any]:
        p = self.p
        static = [p.weight_filler] if self.has_static else []
        return [p.weight_filler, p.bias_filler, *static, p.weight_filler]

    def step(self, inputs: Tensor, cont: Tensor, hidden: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        h, c = hidden
        gates = inputs + functional.linear(h * cont, self.params[-1])
        c, h = apply(_Unit, c, gates, cont)
        return h, [h, c]


@register
class RNN(Recurrent):
    def fillers(self) -> Sequence[Any]:
        p = self.p
        static = [p.weight_filler] if self.has_static else []
        return [p.weight_filler, p.bias_filler, *static, p.weight_filler, p.weight_filler, p.bias_filler]

    def step(self, inputs: Tensor, cont: Tensor, hidden: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        recurrent, weight, bias = self.params[-3:]
        h = (inputs + functional.linear(hidden[0] * cont, recurrent)).tanh()
        return functional.linear(h, weight, bias).tanh(), [h]


@register
class LSTMUnit(TorchLayer):
    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        cell, gates, cont = bottoms
        after, hidden = apply(_Unit, cell, gates, cont[..., None])
        return [after, hidden]
