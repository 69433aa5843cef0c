"""Caffe's six solvers in float32 (sgd_solver.cpp ApplyUpdate and the ComputeUpdateValue of each *_solver.cpp).

An update is: clip the sum of the gradients of all passes, divide it by iter_size, add the weight decay, make the update
value of it, subtract that from the parameters. Where numbers are not finite the arithmetic is IEEE's, as in Caffe on a
GPU; a BLAS of a CPU may take a factor of 0 or nan as "set to 0".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
import torch
from torch import Tensor

from caffelint.caffe.learning_rate import float32, schedule
from caffelint.smoke.torch.statistics import sums

if TYPE_CHECKING:
    from caffelint.schema.messages import SolverParameter


LEAST_FUSED = 1e-7
"""From this rate on 1 - (1 - rate) is the rate to the precision of a float."""


class Learnable(Protocol):
    """A parameter: its values, and the factors of its rate and its decay."""

    data: Tensor
    lr_mult: float
    decay_mult: float


class Group:
    """Parameters that are updated by the same numbers, and their histories: of each kind a tensor a parameter."""

    def __init__(self, lr_mult: float, decay: float) -> None:
        self.lr_mult = lr_mult
        self.decay = decay
        self.indices: list[int] = []
        self.data: list[Tensor] = []
        self.histories: list[list[Tensor]] = []


class Solver:
    """One of Caffe's solvers over some parameters. Make it by `make_solver`.

    iteration: how many updates there have been. updates: after `step`, what was subtracted from each parameter, by its
    number; parameters that cannot move (lr_mult 0) are not in it, but in `frozen`. sums: after `step`, numbers that are
    finite where all values of the parameters are that can move; taken while these lie in the cache.
    """

    history_count: ClassVar[int] = 1

    def __init__(self, message: SolverParameter, parameters: Sequence[Learnable]) -> None:
        self.schedule = schedule(message)
        self.iteration = 0
        self.iter_size: int = message.iter_size
        self.clip: float = message.clip_gradients
        self.momentum: float = message.momentum
        self.momentum2: float = message.momentum2
        self.rms_decay: float = message.rms_decay
        self.delta: float = message.delta
        self.regularize_l1 = message.regularization_type == "L1"
        self.parameters = parameters
        self.updates: dict[int, Tensor] = {}
        self.sums: list[Tensor] = []
        self.frozen: list[int] = []
        self.groups = self._groups(message.weight_decay)

    def _groups(self, weight_decay: float) -> list[Group]:
        groups: dict[tuple[float, float, int], Group] = {}
        for index, parameter in enumerate(self.parameters):
            if parameter.lr_mult == 0 and self.leaves_frozen():
                self.frozen.append(index)
                continue
            numbers = parameter.lr_mult, float32(weight_decay * parameter.decay_mult)
            # On a CPU each by itself, as long as its values lie in the cache; a GPU takes many at a time.
            key = *numbers, index if parameter.data.is_cpu else -1
            group = groups.setdefault(key, Group(*numbers))
            group.indices.append(index)
            group.data.append(parameter.data)
        for group in groups.values():
            group.histories = [[torch.zeros_like(data) for data in group.data] for _ in range(self.history_count)]
        return list(groups.values())

    def leaves_frozen(self) -> bool:
        """Does a parameter with lr_mult 0 stay as it is at a finite rate? A gradient of 0 over a delta of 0 is nan."""
        return self.delta != 0

    @property
    def rate(self) -> float:
        """The rate of the next update."""
        return self.schedule.rate(self.iteration)

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor | None], rate: float | None = None) -> None:
        """Update the parameters.

        gradients: of each parameter, summed over the passes of the iteration; None means zeros. They are
        overwritten. rate: in place of the schedule's.
        """
        if rate is None:
            rate = self.rate
        chosen = [
            [_gradient(gradients[index], data) for index, data in zip(group.indices, group.data, strict=True)]
            for group in self.groups
        ]
        self.clip_gradients([gradient for gradient in gradients if gradient is not None])
        self.sums = []
        for group, part in zip(self.groups, chosen, strict=True):
            self.normalize(part)
            updates = self.update(group, part, float32(rate * group.lr_mult))
            self.sums += sums(group.data)
            self.updates.update(zip(group.indices, updates, strict=True))
        if self.frozen and not np.isfinite(rate):
            for index in self.frozen:
                self.parameters[index].data.fill_(torch.nan)
        self.iteration += 1

    def clip_gradients(self, gradients: list[Tensor]) -> None:
        """Scale all gradients by clip_gradients / norm where their common norm is above it (ClipGradients)."""
        if self.clip < 0 or not gradients:
            return
        flat = [gradient.reshape(-1) for gradient in gradients]
        norm = torch.stack([torch.dot(values, values) for values in flat]).sum().sqrt()
        scale = torch.where(norm > self.clip, self.clip / norm, 1.0)
        for gradient in gradients:
            gradient.mul_(scale)

    def normalize(self, gradients: list[Tensor]) -> None:
        if self.iter_size != 1:
            torch._foreach_mul_(gradients, 1 / self.iter_size if self.iter_size else torch.inf)

    def regularize(self, group: Group, gradients: list[Tensor]) -> None:
        if group.decay:
            decayed = [data.sign() for data in group.data] if self.regularize_l1 else group.data
            torch._foreach_add_(gradients, decayed, alpha=group.decay)

    def update(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        """Update the parameters of a group; gives what was subtracted. `gradients` may be overwritten."""
        self.regularize(group, gradients)
        updates = self.update_values(group, gradients, rate)
        torch._foreach_sub_(group.data, updates)
        return updates

    def update_values(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        """What is subtracted from the parameters of a group; `gradients` may be overwritten (ComputeUpdateValue)."""
        raise NotImplementedError


def _gradient(gradient: Tensor | None, data: Tensor) -> Tensor:
    return torch.zeros_like(data) if gradient is None else gradient


def _mix(average: list[Tensor], decay: float, new: list[Tensor]) -> None:
    """average = decay * average + (1 - decay) * new"""
    torch._foreach_mul_(average, decay)
    torch._foreach_add_(average, new, alpha=float32(1 - decay))


def _square(values: list[Tensor]) -> list[Tensor]:
    return list(torch._foreach_mul(values, values))


class SGD(Solver):
    def leaves_frozen(self) -> bool:
        return True

    def accumulate(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        (history,) = group.histories
        torch._foreach_mul_(history, self.momentum)
        torch._foreach_add_(history, gradients, alpha=rate)
        return history

    def update_values(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        return self.accumulate(group, gradients, rate)

    def update(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        """On a CPU in one pass over the memory: torch's SGD with a rate of 1 and Caffe's rate as 1 - dampening."""
        plain = type(self) is SGD and self.momentum and not (self.regularize_l1 and group.decay)
        if not plain or not abs(rate) >= LEAST_FUSED or not hasattr(torch, "_fused_sgd_"):
            return super().update(group, gradients, rate)
        (history,) = group.histories
        if not all(values.is_cpu and values.is_contiguous() for values in (*group.data, *gradients)):
            return super().update(group, gradients, rate)
        torch._fused_sgd_(
            group.data,
            gradients,
            history,
            weight_decay=group.decay,
            momentum=self.momentum,
            lr=1.0,
            dampening=1 - rate,
            nesterov=False,
            maximize=False,
            is_first_step=False,
        )
        return history


class Nesterov(SGD):
    def update_values(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        updates = list(torch._foreach_mul(group.histories[0], -self.momentum))
        torch._foreach_add_(updates, self.accumulate(group, gradients, rate), alpha=float32(1 + self.momentum))
        return updates


class AdaGrad(Solver):
    def follow(self, history: list[Tensor], gradients: list[Tensor]) -> None:
        torch._foreach_addcmul_(history, gradients, gradients)

    def update_values(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        (history,) = group.histories
        self.follow(history, gradients)
        scales = torch._foreach_sqrt(history)
        torch._foreach_add_(scales, self.delta)
        torch._foreach_div_(gradients, scales)
        torch._foreach_mul_(gradients, rate)
        return gradients


class RMSProp(AdaGrad):
    def follow(self, history: list[Tensor], gradients: list[Tensor]) -> None:
        _mix(history, self.rms_decay, _square(gradients))


class AdaDelta(Solver):
    """Caffe multiplies by the rate only after the update has gone into its history."""

    history_count = 2

    def update_values(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        of_gradients, of_updates = group.histories
        _mix(of_gradients, self.momentum, _square(gradients))
        scales = torch._foreach_add(of_updates, self.delta)
        torch._foreach_div_(scales, torch._foreach_add(of_gradients, self.delta))
        torch._foreach_sqrt_(scales)
        torch._foreach_mul_(gradients, scales)
        _mix(of_updates, self.momentum, _square(gradients))
        torch._foreach_mul_(gradients, rate)
        return gradients


class Adam(Solver):
    """Unlike in torch, `delta` is added after the root, and the bias correction goes into the rate."""

    history_count = 2

    def correction(self) -> float:
        """sqrt(1 - momentum2^t) / (1 - momentum^t), in double and rounded once."""
        with np.errstate(all="ignore"):
            second = np.sqrt(1 - np.float64(self.momentum2) ** (self.iteration + 1))
            return float32(float(second / (1 - np.float64(self.momentum) ** (self.iteration + 1))))

    def update_values(self, group: Group, gradients: list[Tensor], rate: float) -> list[Tensor]:
        first, second = group.histories
        _mix(first, self.momentum, gradients)
        _mix(second, self.momentum2, _square(gradients))
        scales = torch._foreach_sqrt(second)
        torch._foreach_add_(scales, self.delta)
        updates = list(torch._foreach_div(first, scales))
        torch._foreach_mul_(updates, float32(rate * self.correction()))
        return updates


SOLVERS: dict[str, type[Solver]] = {kind.__name__: kind for kind in (SGD, Nesterov, AdaGrad, RMSProp, AdaDelta, Adam)}
"""By the name that Caffe registers them under."""


def refusal(message: SolverParameter) -> tuple[str, str] | None:
    """The field of a solver that keeps it from running, and why; None where it runs.

    What Caffe refuses as it makes the solver or at the first update, and what is not known here.
    """
    return next(((field, why) for field, holds, why in _REFUSALS if holds(message)), None)


def _decays(message: SolverParameter) -> bool:
    return message.weight_decay != 0 and message.regularization_type not in ("L1", "L2")


_REFUSALS: tuple[tuple[str, Callable[[SolverParameter], bool], str], ...] = (
    ("type", lambda m: m.type not in SOLVERS, f"the solvers are {', '.join(SOLVERS)}"),
    ("momentum", lambda m: m.type in ("AdaGrad", "RMSProp") and m.momentum != 0, "this solver takes no momentum"),
    ("rms_decay", lambda m: m.type == "RMSProp" and not 0 <= m.rms_decay < 1, "rms_decay must be from 0 to below 1"),
    ("regularization_type", _decays, "regularization_type must be L1 or L2"),
    ("lr_policy", lambda m: bool(schedule(m).problem), "no rate can be computed"),
)


def make_solver(message: SolverParameter, parameters: Sequence[Learnable]) -> Solver:
    """The solver that an upgraded SolverParameter asks for; KeyError for a type that `refusal` rejects."""
    return SOLVERS[message.type](message, parameters)
