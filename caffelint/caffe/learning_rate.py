"""The learning rate over every iteration, in the float arithmetic of Caffe (sgd_solver.cpp, GetLearningRate).

Caffe trains with `float`: each policy rounds to float32 where its C++ does. Two things are not obvious from the source:
`pow(float, int)` of step, exp and multistep is computed in double and rounded once, after the product with base_lr,
while `pow(float, float)` of inv and poly, and `exp(float)` of sigmoid, are C's powf and expf. Those do not always give
the nearest float, so the C library of this machine computes them if possible.
"""

from __future__ import annotations

import math
import struct
from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from caffelint.schema.messages import SolverParameter

_FLOAT = struct.Struct("<f")


def float32(value: float) -> float:
    """The nearest float32; infinity of the same sign beyond its range."""
    try:
        return float(_FLOAT.unpack(_FLOAT.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _power(base: float, exponent: float) -> float:
    """C's pow, which raises no exception."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:
        return math.inf if base == 0 else math.nan


def _exponential(value: float) -> float:
    """C's exp, which raises no exception."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


@cache
def _float_functions() -> tuple[Callable[[float, float], float], Callable[[float], float]]:
    """C's powf and expf; if the C library is not available, the functions of double, rounded."""
    import ctypes

    try:
        library = ctypes.CDLL(None)
        powf, expf = library.powf, library.expf
    except (AttributeError, OSError, TypeError):
        return lambda base, exponent: float32(_power(base, exponent)), lambda value: float32(_exponential(value))
    powf.argtypes, expf.argtypes = [ctypes.c_float, ctypes.c_float], [ctypes.c_float]
    powf.restype = expf.restype = ctypes.c_float
    return powf, expf


class Schedule:
    """The learning rate of a solver as a function of the iteration. `schedule` makes one.

    `reads` are the fields that the policy reads besides base_lr. `problem` says why Caffe aborts at the first update,
    and all rates are then nan; it is empty if Caffe does not abort. NVCaffe raises each rate to min_lr, and begins with
    a rise over rampup_interval iterations.
    """

    reads: ClassVar[tuple[str, ...]] = ()

    def __init__(self, message: SolverParameter):
        self.policy: str = message.lr_policy
        self.base: float = message.base_lr
        self.gamma: float = message.gamma
        self.power: float = message.power
        self.stepsize: int = message.stepsize
        self.max_iter: int = message.max_iter
        self.stepvalues: tuple[int, ...] = tuple(message.stepvalue)
        self.least: float = message.min_lr
        self.rampup: int = message.rampup_interval
        self.rampup_from: float = message.rampup_lr
        self.problem = self._refusal()

    def _refusal(self) -> str:
        if "stepsize" in self.reads and self.stepsize <= 0:
            return f"stepsize {self.stepsize} must be greater than 0"
        if "gamma" in self.reads and not self.gamma >= 0:
            return f"gamma {self.gamma:g} must not be negative"
        return ""

    def rate(self, iteration: int) -> float:
        """The rate of the update at an iteration, counted from 0; nan and infinity where Caffe gets them."""
        if self.problem:
            return math.nan
        if iteration < self.rampup:
            done = float32(iteration / self.rampup)
            return float32(self.rampup_from + (self.base - self.rampup_from) * done * done)
        rate = self._rate(iteration)
        return self.least if rate < self.least != 0 else rate

    def _rate(self, iteration: int) -> float:
        raise NotImplementedError

    def stretches(self, limit: int) -> list[tuple[int, int]]:
        """The iterations before `limit` as pieces (first, last) in which the rate's size only rises or only falls."""
        cuts = [0, *sorted({cut for cut in (self.rampup, *self._cuts()) if 0 < cut < limit}), max(limit, 0)]
        return [(first, end - 1) for first, end in pairwise(cuts) if first < end]

    def _cuts(self) -> tuple[int, ...]:
        """The iterations at which the rate's size may turn or jump, or only a single rate is nan."""
        return ()

    def first(self, condition: Callable[[float], bool], limit: int) -> tuple[int, float] | None:
        """The first iteration before `limit` whose rate meets the condition, and that rate; None if there is none.

        The condition must change at most once on each of `stretches`, where bisection finds the change.
        """
        for low, high in self.stretches(limit):
            if not condition(self.rate(low)):
                if not condition(self.rate(high)):
                    continue
                while high - low > 1:
                    middle = (low + high) // 2
                    if condition(self.rate(middle)):
                        high = middle
                    else:
                        low = middle
                low = high
            return low, self.rate(low)
        return None

    def first_bad(self, limit: int) -> tuple[int, float] | None:
        """The first iteration before `limit` whose rate is nan or infinite, and that rate; None if all are finite."""
        return self.first(lambda rate: not math.isfinite(rate), limit)

    def extremes(self, limit: int) -> list[tuple[int, float]]:
        """Iterations and rates among which are the smallest and the largest size of all rates before `limit`."""
        ends = dict.fromkeys(end for stretch in self.stretches(limit) for end in stretch)
        return [(end, self.rate(end)) for end in ends]


class _Unknown(Schedule):
    def _refusal(self) -> str:
        return f'lr_policy "{self.policy}" is unknown; the policies are {", ".join(POLICIES)}'


class _Fixed(Schedule):
    def _rate(self, iteration: int) -> float:
        return self.base


class _Step(Schedule):
    reads: ClassVar[tuple[str, ...]] = ("gamma", "stepsize")

    def _rate(self, iteration: int) -> float:
        return float32(self.base * _power(self.gamma, self.steps(iteration)))

    def steps(self, iteration: int) -> int:
        """How often the rate has been multiplied by gamma."""
        return iteration // self.stepsize


class _Exp(_Step):
    reads = ("gamma",)

    def steps(self, iteration: int) -> int:
        return iteration


class _MultiStep(_Step):
    """Caffe takes at most one stepvalue per iteration, in the order of the text; one that is not larger waits."""

    reads = ("gamma", "stepvalue")

    def __init__(self, message: SolverParameter):
        super().__init__(message)
        self.taken: list[int] = []
        """The iteration at which Caffe takes each stepvalue."""
        for value in self.stepvalues:
            self.taken.append(max(value, self.taken[-1] + 1 if self.taken else 0))

    def steps(self, iteration: int) -> int:
        return bisect_right(self.taken, iteration)

    def _cuts(self) -> tuple[int, ...]:
        return tuple(self.taken)


class _Inv(Schedule):
    reads = ("gamma", "power")

    def _rate(self, iteration: int) -> float:
        base = float32(1 + float32(self.gamma * float32(iteration)))
        powf, _ = _float_functions()
        return float32(self.base * powf(base, -self.power))

    def _cuts(self) -> tuple[int, ...]:
        return (1,)


class _Poly(Schedule):
    reads = ("power", "max_iter")

    def _rate(self, iteration: int) -> float:
        if self.max_iter:
            done = float32(float32(iteration) / float32(self.max_iter))
        else:
            done = math.inf if iteration else math.nan
        powf, _ = _float_functions()
        return float32((self.base - self.least) * powf(float32(1 - done), self.power) + self.least)

    def _cuts(self) -> tuple[int, ...]:
        return 1, self.max_iter, self.max_iter + 1


class _Sigmoid(Schedule):
    reads = ("gamma", "stepsize")

    def _rate(self, iteration: int) -> float:
        exponent = float32(-self.gamma * float32(float32(iteration) - float32(self.stepsize)))
        _, expf = _float_functions()
        return float32(self.base * float32(1 / float32(1 + expf(exponent))))

    def _cuts(self) -> tuple[int, ...]:
        return self.stepsize, self.stepsize + 1


POLICIES: dict[str, type[Schedule]] = {
    "fixed": _Fixed,
    "step": _Step,
    "exp": _Exp,
    "inv": _Inv,
    "multistep": _MultiStep,
    "poly": _Poly,
    "sigmoid": _Sigmoid,
}
"""The policies that Caffe knows, by `lr_policy`, which is case-sensitive."""

FORK_POLICIES = {"multifixed": "stagelr", "plateau": "plateau_winsize", "sgdr": "period", "vstep": "vstep_lr"}
"""Policies of forks, and the field of SolverParameter that came with each (sgd_solver.cpp of intel, jolibrain, and of
ShaoqingRen/caffe)."""


def schedule(message: SolverParameter) -> Schedule:
    """The learning rate that a solver sets."""
    return POLICIES.get(message.lr_policy, _Unknown)(message)
