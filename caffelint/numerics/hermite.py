"""Functions of normal variables: their mean, and the mean product of their values at two correlated ones.

The mean product is Mehler's series: with a_k the coefficients of f in normalised Hermite polynomials,
E[f(x) f(y)] = sum a_k^2 rho^k for a correlation of rho.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from operator import mul

from caffelint.numerics.signal import MOST, Signal, bounded
from caffelint.text.records import NamedTuple

_STEP, _FAR = 0.2, 6.0
_TERMS = 14
_ROOTS = [math.sqrt(k) for k in range(_TERMS + 1)]
_WIDE = 3.0
_LARGEST = math.sqrt(MOST)
_BENDS = [0.0, *(sign * 0.25 * step for sign in (-1, 1) for step in range(1, 33))]


_Grid = tuple[list[float], list[float], list[list[float]]]


def _grid(mean: float, spread: float) -> _Grid:
    """Nodes, weights, and the normalised polynomials at the nodes, to sum over a normal variable.

    The nodes are even, as suits smooth functions, and one of them is where the variable is 0, as suits those that bend.
    """
    return _table(_fine(mean, spread)) if spread >= _WIDE else _even(-mean / spread)


@lru_cache(maxsize=1024)
def _even(centre: float) -> _Grid:
    first = math.ceil((-_FAR - centre) / _STEP)
    last = math.floor((_FAR - centre) / _STEP)
    return _table([centre + _STEP * step for step in range(first, last + 1)])


def _fine(mean: float, spread: float) -> list[float]:
    """Nodes that are close where a wide variable comes near 0, for there functions bend."""
    wide = [_STEP * step for step in range(round(-_FAR / _STEP), round(_FAR / _STEP) + 1)]
    near = [(x - mean) / spread for x in _BENDS]
    return sorted({*wide, *(x for x in near if -_FAR < x < _FAR)})


def _table(nodes: list[float]) -> _Grid:
    steps = [0.0, *((b - a) / 2 for a, b in pairwise(nodes)), 0.0]
    weights = [(a + b) * math.exp(-x * x / 2) for x, (a, b) in zip(nodes, pairwise(steps), strict=True)]
    whole = sum(weights)
    columns = [[1.0] * len(nodes), nodes]
    for k in range(1, _TERMS):
        last, next_ = _ROOTS[k], _ROOTS[k + 1]
        columns.append([(x * a - last * b) / next_ for x, a, b in zip(nodes, columns[k], columns[k - 1], strict=True)])
    return nodes, [one / whole for one in weights], columns


class Curve(NamedTuple):
    """A function of a normal variable: its mean, the squares of its coefficients, and those of all further ones."""

    mean: float
    squares: tuple[float, ...]
    rest: float

    def product(self, correlation: float) -> float:
        """The mean product of its values at two variables of this correlation."""
        if not correlation:
            return self.squares[0]
        rho = min(max(correlation, -1.0), 1.0)
        found = self.rest
        for square in reversed(self.squares):
            found = found * rho + square
        return found


@lru_cache(maxsize=4096)
def curve(function: Callable[[float], float], mean: float, variance: float, low: float, high: float) -> Curve:
    """A function at a normal variable that is kept between two bounds."""
    if variance <= 0:
        value = _safely(function, min(max(mean, low), high))
        return Curve(value, (bounded(value * value),), 0.0)
    spread = math.sqrt(variance)
    nodes, weights, columns = _grid(mean, spread)
    values = [
        _safely(function, min(max(mean + spread * x, low), high)) * weight
        for x, weight in zip(nodes, weights, strict=True)
    ]
    square = sum(value * value / weight for value, weight in zip(values, weights, strict=True))
    found = [sum(map(mul, values, column)) for column in columns]
    squares = tuple(bounded(one * one) for one in found)
    return Curve(bounded(found[0]), squares, max(bounded(square) - sum(squares), 0.0))


def applied(function: Callable[[float], float], bottom: Signal) -> Signal:
    """A function of each element."""
    found = curve(function, _rounded(bottom.mean), _rounded(bottom.variance), bottom.low, bottom.high)
    variance = bottom.variance
    square = bottom.mean**2
    return bottom.mapped(
        lambda one: found.product((one - square) / variance) if variance else found.mean**2, found.mean
    )


def _rounded(value: float) -> float:
    """To four digits: enough, and known again."""
    return float(f"{value:.4g}")


def _safely(function: Callable[[float], float], x: float) -> float:
    try:
        value = function(x)
    except OverflowError:
        return _LARGEST
    except (ValueError, ZeroDivisionError):
        return 0.0
    return min(max(value, -_LARGEST), _LARGEST) if value == value else 0.0
