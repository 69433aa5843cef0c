"""What is known of the values in a blob: bounds that hold, and which zeros and signs are sure to turn up.

Each layer class says what it makes of its bottoms' values (`values`); `value_facts` follows them through a built net.
The facts are sound: a bound is never crossed, except by rounding. They say nothing about how values are spread.
"""

from __future__ import annotations

from enum import Enum, auto
from math import exp, inf, log
from typing import TYPE_CHECKING

from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers.base import BuiltLayer
    from caffelint.caffe.net_parts import Blob


class Hazard(Enum):
    """Why a layer may make nan or inf of values that are neither."""

    LOG = auto()
    OVERFLOW = auto()
    NEGATIVE_POWER = auto()
    ROOT = auto()
    FRACTIONAL_POWER = auto()
    LENGTH = auto()
    STATISTICS = auto()
    SUM_OF_SQUARES = auto()


class Values(NamedTuple):
    """All values of a blob lie in [low, high], or are nan.

    zeros: exact zeros turn up in any real run, as after a ReLU. signed: values above and below 0 do, as after a
    layer with weights. Neither follows from bounds: a blob need not contain what its bounds allow.
    """

    low: float = -inf
    high: float = inf
    zeros: bool = False
    signed: bool = False

    @property
    def may_be_zero(self) -> bool:
        return self.low <= 0 <= self.high

    def shifted(self, scale: float, shift: float) -> Values:
        """Values of scale * x + shift."""
        if not scale:
            return exactly(shift)
        ends = sorted((scale * self.low + shift, scale * self.high + shift))
        return Values(ends[0], ends[1], self.zeros and not shift, self.signed and not shift)

    def times(self, other: Values) -> Values:
        """Values of x * y; where both have signs they may be those of a square."""
        ends = [_times(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        signed = self.signed and other.low > 0 or other.signed and self.low > 0
        return Values(min(ends), max(ends), self.zeros or other.zeros, signed)

    def plus(self, other: Values) -> Values:
        """Values of x + y."""
        low, high = self.low + other.low, self.high + other.high
        return Values(low, high, self.zeros and other.zeros, self.signed and other.signed)

    def or_else(self, other: Values) -> Values:
        """Values of a blob that holds some of both."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Values(low, high, self.zeros or other.zeros, self.signed or other.signed)

    def part(self) -> Values:
        """Values of a part of the blob, which need not contain those that are certain in the whole."""
        return Values(self.low, self.high)

    def power(self, power: float) -> Values:
        """Values of x ^ power, nan left out (power_layer.cpp)."""
        low, high = self.low, self.high
        if power == 1:
            return self
        if power == 0:
            return exactly(1)
        if power % 2 == 0:
            far = max(abs(low), abs(high))
            near = 0.0 if self.may_be_zero else min(abs(low), abs(high))
            ends = _raised(near, power), _raised(far, power)
            return Values(min(ends), max(ends), self.zeros and power > 0)
        if power % 1:
            low, high = max(low, 0.0), max(high, 0.0)
        elif low < 0:
            return Values(_raised(low, power), _raised(high, power), self.zeros, self.signed) if power > 0 else UNKNOWN
        ends = _raised(low, power), _raised(high, power)
        return Values(min(ends), max(ends), self.zeros and power > 0)

    def exponential(self, base: float) -> Values:
        """Values of base ^ x; base -1 means e (exp_layer.cpp)."""
        rate = 1.0 if base == -1 else log(base) if base > 0 else 1.0
        ends = sorted(_exponential(_times(rate, end)) for end in (self.low, self.high))
        return Values(ends[0], ends[1])

    def logarithm(self, base: float) -> Values:
        """Values of the logarithm, nan left out (log_layer.cpp)."""
        rate = 1.0 if base in (-1, 1) or base <= 0 else 1 / log(base)
        ends = sorted(rate * (log(end) if 0 < end < inf else inf if end > 0 else -inf) for end in (self.low, self.high))
        return Values(ends[0], ends[1])


def exactly(value: float) -> Values:
    """A blob that holds one value."""
    return Values(value, value, value == 0)


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def _raised(base: float, power: float) -> float:
    if base == 0:
        return 0.0 if power > 0 else inf
    try:
        return float(base**power)
    except OverflowError:
        return -inf if base < 0 and power % 2 else inf


def _exponential(value: float) -> float:
    try:
        return exp(value)
    except OverflowError:
        return inf


UNKNOWN = Values()
SIGNED = Values(signed=True)

SYMMETRIC_FILLERS = frozenset(["gaussian", "xavier", "msra"])
"""These draw as many values below 0 as above it."""


_SURE_OF_BOTH = 16
"""Outputs of random weights, one of which is below 0 and one above: of values of one sign, each of them is either."""


def filled(filler: object) -> Values:
    """Values that a filler draws (filler.hpp)."""
    kind = filler.type  # type: ignore[attr-defined]
    if kind == "constant":
        return exactly(filler.value)  # type: ignore[attr-defined]
    if kind == "uniform":
        return Values(filler.min, filler.max)  # type: ignore[attr-defined]
    if kind in ("positive_unitball", "bilinear"):
        return Values(0, 1)
    if kind == "gaussian" and filler.mean:  # type: ignore[attr-defined]
        return UNKNOWN
    return SIGNED if kind in SYMMETRIC_FILLERS else UNKNOWN


def weighted(layer: BuiltLayer, bottom: Values) -> Values:
    """Values of weighted sums of a bottom, with a bias: of both signs where the weights learn.

    Fixed weights that the text gives, as in a sum or a blur, may leave values positive. Weights that a file brings in
    are not known here; they are taken to be what the text says, or of both signs.
    """
    p = layer.parameters
    bias = filled(p.bias_filler) if p.bias_term else exactly(0)
    weights = filled(p.weight_filler)
    fixed = layer.params is not None and all(param.lr_mult == 0 for param in layer.params)
    if fixed and p.HasField("weight_filler"):
        sums = UNKNOWN
        if bottom.low >= 0 and weights.low >= 0:
            sums = Values(0, inf)
        elif bottom.low >= 0 and weights.high <= 0:
            sums = Values(-inf, 0)
        return sums.plus(bias).part()
    both_signs = weights.signed or weights.low < 0 < weights.high or not p.HasField("weight_filler")
    return SIGNED if both_signs and bias == exactly(0) and p.num_output >= _SURE_OF_BOTH else UNKNOWN


def value_facts(built: BuiltNet) -> dict[Blob, Values]:
    """What is known of each version of each blob, also of one that is read and that no layer makes."""
    facts: dict[Blob, Values] = {}
    for layer in built.layers:
        bottoms = [facts.setdefault(blob, UNKNOWN) for blob in layer.bottoms]
        found = layer.values(bottoms) if bottoms or layer.is_data else ()
        for index, blob in enumerate(layer.tops):
            facts[blob] = found[index] if index < len(found) else UNKNOWN
    return facts
