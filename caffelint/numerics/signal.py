"""The state of a blob: what is expected of its elements and of pairs of them, over all draws of weights and data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from caffelint.text.records import NamedTuple

SAME, PLACE, SAMPLE, BOTH = range(4)
OTHER = 4
"""Kernels: the mean product of two elements of one channel that are the same, at another place, of another sample, or
both; OTHER and these of two channels."""
KERNELS = 8
MOST = 1e120


class Signal(NamedTuple):
    """mean: of all elements. kernels: mean products of pairs; the first is the mean square.

    assumed: does it rest on a guess of the scale of the data? low, high: all elements lie between.
    """

    mean: float
    kernels: tuple[float, ...]
    assumed: bool = False
    low: float = -math.inf
    high: float = math.inf

    @property
    def mean_square(self) -> float:
        return self.kernels[SAME]

    @property
    def variance(self) -> float:
        return max(self.kernels[SAME] - self.mean**2, 0.0)

    @property
    def size(self) -> float:
        """Root mean square."""
        return math.sqrt(max(self.kernels[SAME], 0.0))

    def times(self, factor: float) -> Signal:
        square = factor * factor
        return Signal(self.mean * factor, tuple([bounded(one * square) for one in self.kernels]), self.assumed)

    def plus(self, value: float) -> Signal:
        more = 2 * self.mean * value + value * value
        return Signal(self.mean + value, tuple([bounded(one + more) for one in self.kernels]), self.assumed)

    def mapped(self, function: Callable[[float], float], mean: float) -> Signal:
        """Each kernel mapped; equal ones once."""
        known = {one: bounded(function(one)) for one in set(self.kernels)}
        return Signal(mean, tuple([known[one] for one in self.kernels]), self.assumed)


def bounded(value: float) -> float:
    """A number that later sums and products of do not overflow; what is not one becomes the largest."""
    if -MOST <= value <= MOST:
        return value
    return -MOST if value < 0 else MOST


def constant(value: float) -> Signal:
    return Signal(value, (value * value,) * KERNELS)


def independent(mean: float, variance: float, assumed: bool = False) -> Signal:
    """Elements that are drawn one by one."""
    square = mean * mean
    return Signal(mean, (square + variance, *[square] * (KERNELS - 1)), assumed)


def total(signals: Sequence[Signal], factors: Sequence[float] = ()) -> Signal:
    """The sum of blobs that have nothing to do with each other but their means."""
    factors = factors or [1.0] * len(signals)
    mean = 0.0
    kernels = [0.0] * KERNELS
    for one, by in zip(signals, factors, strict=True):
        mean += one.mean * by
        square, own = by * by, one.mean**2
        kernels = [found + square * (kernel - own) for found, kernel in zip(kernels, one.kernels, strict=True)]
    common = mean * mean
    kernels = [bounded(own + common) for own in kernels]
    return Signal(bounded(mean), tuple(kernels), any(one.assumed for one in signals))


def product(*signals: Signal) -> Signal:
    """The product of blobs that have nothing to do with each other."""
    found = signals[0]
    for one in signals[1:]:
        kernels = tuple([bounded(a * b) for a, b in zip(found.kernels, one.kernels, strict=True)])
        found = Signal(bounded(found.mean * one.mean), kernels, found.assumed or one.assumed)
    return found


def mixed(signals: Sequence[Signal], shares: Sequence[float]) -> Signal:
    """A blob that holds elements of several, each with its share of the channels; one may be there more than once."""
    weight: dict[int, float] = {}
    for one, share in zip(signals, shares, strict=True):
        weight[id(one)] = weight.get(id(one), 0.0) + share
    unique = {id(one): one for one in signals}
    mean = sum(one.mean * share for one, share in zip(signals, shares, strict=True))
    kernels = [sum(one.kernels[k] * share for one, share in zip(signals, shares, strict=True)) for k in range(OTHER)]
    for k in range(OTHER, KERNELS):
        same = sum((one.kernels[k] - one.mean * one.mean) * weight[key] ** 2 for key, one in unique.items())
        kernels.append(mean * mean + same)
    return Signal(mean, tuple(kernels), any(one.assumed for one in signals))


def rows(one: Signal) -> Signal:
    """Of a blob of steps x streams x features: all steps of all streams as samples, the features as channels."""
    k = one.kernels
    kernels = (k[SAME], k[SAME], k[OTHER], k[OTHER], k[PLACE], k[PLACE], k[OTHER + PLACE], k[OTHER + PLACE])
    return Signal(one.mean, kernels, one.assumed)


def steps(one: Signal) -> Signal:
    """The other way round."""
    k = one.kernels
    kernels = (k[SAME], k[OTHER], k[SAMPLE], k[OTHER + SAMPLE]) + (k[SAMPLE], k[OTHER + SAMPLE]) * 2
    return Signal(one.mean, kernels, one.assumed)
