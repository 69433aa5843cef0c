"""Functions of each element by itself, and their slopes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial, singledispatch

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.neuron import (
    BNLL,
    ELU,
    AbsVal,
    Clip,
    Exp,
    Log,
    Power,
    PReLU,
    ReLU,
    Sigmoid,
    Swish,
    TanH,
    Threshold,
)
from caffelint.numerics.weights import Weights, weights
from caffelint.text.records import NamedTuple

Function = Callable[[float], float]


class Functions(NamedTuple):
    """What a layer makes of each element, and the slope of that; None where no gradient comes through."""

    value: Function
    slope: Function | None


@lru_cache(maxsize=512)
def made(function: Callable[..., float], *parameters: float) -> Callable[[float], float]:
    """A function with its parameters: the same one each time, so that what is known of it is found again."""
    return partial(function, *parameters)


def relu(slope: float, x: float) -> float:
    return x if x > 0 else slope * x


def relu_slope(slope: float, x: float) -> float:
    return 1.0 if x > 0 else slope


def elu(alpha: float, x: float) -> float:
    return x if x > 0 else alpha * math.expm1(x)


def elu_slope(alpha: float, x: float) -> float:
    return 1.0 if x > 0 else alpha * math.exp(x)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 else 1 - 1 / (1 + math.exp(x))


def sigmoid_slope(x: float) -> float:
    y = sigmoid(x)
    return y * (1 - y)


def tanh_slope(x: float) -> float:
    return 1 - math.tanh(x) ** 2


def swish(beta: float, x: float) -> float:
    return x * sigmoid(beta * x)


def swish_slope(beta: float, x: float) -> float:
    y = sigmoid(beta * x)
    return y + beta * x * y * (1 - y)


def softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def power(exponent: float, scale: float, shift: float, x: float) -> float:
    base = shift + scale * x
    real = base > 0 or (exponent == int(exponent) and (base or exponent >= 0))
    return float(base**exponent) if real else 0.0


def power_slope(exponent: float, scale: float, shift: float, x: float) -> float:
    base = shift + scale * x
    return exponent * scale * float(base ** (exponent - 1)) if base > 0 or (base and exponent == int(exponent)) else 0.0


def exponential(rate: float, scale: float, shift: float, x: float) -> float:
    return math.exp(rate * (shift + scale * x))


def exponential_slope(rate: float, scale: float, shift: float, x: float) -> float:
    return rate * scale * math.exp(rate * (shift + scale * x))


def logarithm(rate: float, scale: float, shift: float, x: float) -> float:
    return rate * math.log(shift + scale * x)


def logarithm_slope(rate: float, scale: float, shift: float, x: float) -> float:
    return rate * scale / (shift + scale * x)


def clipped(low: float, high: float, x: float) -> float:
    return min(max(x, low), high)


def clipped_slope(low: float, high: float, x: float) -> float:
    return 1.0 if low <= x <= high else 0.0


def over(threshold: float, x: float) -> float:
    return 1.0 if x > threshold else 0.0


def sign(x: float) -> float:
    return 1.0 if x > 0 else -1.0 if x < 0 else 0.0


def _rate(base: float, for_logarithm: bool) -> float:
    """The factor that a base comes to, -1 for e (exp_layer.cpp, log_layer.cpp)."""
    if base <= 0 or (for_logarithm and base == 1):
        return 1.0
    return 1 / math.log(base) if for_logarithm else math.log(base)


@singledispatch
def functions_of(layer: BuiltLayer) -> Functions | None:
    """Those of a layer; None where nobody knows."""
    return None


@functions_of.register(ReLU)
def _(layer: ReLU) -> Functions | None:
    slope = layer.parameters.negative_slope
    return Functions(made(relu, slope), made(relu_slope, slope))


@functions_of.register(PReLU)
def _(layer: PReLU) -> Functions | None:
    p = layer.parameters
    filled = weights(p.filler, (1,)) if p.HasField("filler") else Weights(0.25, 0)
    slope = filled.mean if filled else 0.25
    return Functions(made(relu, slope), made(relu_slope, slope))


@functions_of.register(ELU)
def _(layer: ELU) -> Functions | None:
    return Functions(made(elu, layer.parameters.alpha), made(elu_slope, layer.parameters.alpha))


@functions_of.register(Sigmoid)
def _(layer: Sigmoid) -> Functions | None:
    return Functions(sigmoid, sigmoid_slope)


@functions_of.register(TanH)
def _(layer: TanH) -> Functions | None:
    return Functions(math.tanh, tanh_slope)


@functions_of.register(Swish)
def _(layer: Swish) -> Functions | None:
    return Functions(made(swish, layer.parameters.beta), made(swish_slope, layer.parameters.beta))


@functions_of.register(BNLL)
def _(layer: BNLL) -> Functions | None:
    return Functions(softplus, sigmoid)


@functions_of.register(AbsVal)
def _(layer: AbsVal) -> Functions | None:
    return Functions(abs, sign)


@functions_of.register(Clip)
def _(layer: Clip) -> Functions | None:
    p = layer.parameters
    return Functions(made(clipped, p.min, p.max), made(clipped_slope, p.min, p.max))


@functions_of.register(Threshold)
def _(layer: Threshold) -> Functions | None:
    return Functions(made(over, layer.parameters.threshold), None)


@functions_of.register(Power)
def _(layer: Power) -> Functions | None:
    p = layer.parameters
    return Functions(made(power, p.power, p.scale, p.shift), made(power_slope, p.power, p.scale, p.shift))


@functions_of.register(Exp)
def _(layer: Exp) -> Functions | None:
    p = layer.parameters
    given = _rate(p.base, False), p.scale, p.shift
    return Functions(made(exponential, *given), made(exponential_slope, *given))


@functions_of.register(Log)
def _(layer: Log) -> Functions | None:
    p = layer.parameters
    given = _rate(p.base, True), p.scale, p.shift
    return Functions(made(logarithm, *given), made(logarithm_slope, *given))
