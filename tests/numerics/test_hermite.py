"""Means of functions of normal variables, against numpy's own quadrature in two dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy
import pytest

from caffelint.numerics.elements import elu, made, relu, sigmoid, sigmoid_slope, softplus
from caffelint.numerics.hermite import curve

FUNCTIONS = [made(relu, 0.0), made(relu, 0.25), made(elu, 1.0), sigmoid, sigmoid_slope, math.tanh, softplus, abs]


def _expected(function: Callable[[float], float], mean: float, variance: float, correlation: float) -> float:
    nodes, weights = numpy.polynomial.hermite_e.hermegauss(101)
    weights = weights / weights.sum()
    spread, rest = math.sqrt(variance), math.sqrt(1 - correlation**2)
    first = [function(mean + spread * x) for x in nodes]
    total = 0.0
    for x, value, weight in zip(nodes, first, weights, strict=True):
        second = [function(mean + spread * (correlation * x + rest * y)) for y in nodes]
        total += weight * value * float(numpy.dot(second, weights))
    return total


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (0.5, 0.01), (-1.0, 4.0), (3.0, 30.0)])
def test_mean_products(function: Callable[[float], float], mean: float, variance: float) -> None:
    found = curve(function, mean, variance, -math.inf, math.inf)
    for correlation in (-0.5, 0.0, 0.3, 0.9, 1.0):
        expected = _expected(function, mean, variance, correlation)
        assert found.product(correlation) == pytest.approx(expected, rel=0.03, abs=0.004 * found.product(1.0))


def test_bounds() -> None:
    """What is known to be above 0 is taken there: e^-x of a rectified value is never large."""
    found = curve(lambda x: math.exp(-x), 100.0, 1e6, 0.0, math.inf)
    assert found.product(1.0) <= 1
