"""What is known of the values in a blob: bounds that hold, and whether exact zeros are to be expected.

Each layer class tells what it makes of its bottoms' values (`values`); `value_facts` follows them through a built net.
Only sound facts are told: a bound is never crossed, save by rounding; nothing is said of how values are spread.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.build import BuiltNet
    from caffelint.caffe.net_parts import Blob


class Values(NamedTuple):
    """All values of a blob lie in [low, high].

    zeros: exact zeros are to be expected, as behind a ReLU. known: the bounds say something of the net; where they
    are infinite, values of that sign do occur (behind a convolution, say). False where nothing is known at all, as of
    the contents of a data file.
    """

    low: float = -inf
    high: float = inf
    zeros: bool = False
    known: bool = False

    @property
    def may_be_negative(self) -> bool:
        return self.low < 0

    @property
    def may_be_zero(self) -> bool:
        return self.low <= 0 <= self.high

    def shifted(self, scale: float, shift: float) -> Values:
        """Values of scale * x + shift."""
        ends = sorted((_times(scale, self.low) + shift, _times(scale, self.high) + shift))
        return Values(ends[0], ends[1], self.zeros and shift == 0 or scale == shift == 0, self.known or scale == 0)

    def times(self, other: Values) -> Values:
        """Values of x * y."""
        ends = [_times(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Values(min(ends), max(ends), self.zeros or other.zeros, self.known and other.known)

    def plus(self, other: Values) -> Values:
        """Values of x + y."""
        zeros = self.zeros and other.zeros
        return Values(self.low + other.low, self.high + other.high, zeros, self.known and other.known)

    def or_else(self, other: Values) -> Values:
        """Values of a blob that holds some of both."""
        return Values(
            min(self.low, other.low),
            max(self.high, other.high),
            self.zeros or other.zeros,
            self.known and other.known,
        )


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


UNKNOWN = Values()
ANY_SIGN = Values(known=True)


def value_facts(built: BuiltNet) -> dict[Blob, Values]:
    """What is known of each version of each blob."""
    facts: dict[Blob, Values] = {}
    for layer in built.layers:
        bottoms = [facts.get(blob, UNKNOWN) for blob in layer.bottoms]
        found = layer.values(bottoms)
        for index, blob in enumerate(layer.tops):
            facts[blob] = found[index] if index < len(found) else UNKNOWN
    return facts
