"""What fillers draw, by Caffe's own definitions (filler.hpp)."""

from __future__ import annotations

import math
from typing import Any

from caffelint.caffe.shapes import Shape, count
from caffelint.text.records import NamedTuple

_IN, _OUT, _AVERAGE = 0, 1, 2


class Weights(NamedTuple):
    """Mean and variance of each drawn element."""

    mean: float
    variance: float

    @property
    def size(self) -> float:
        """Root mean square."""
        return math.sqrt(self.mean**2 + self.variance)

    def times(self, factor: float) -> Weights:
        return Weights(self.mean * factor, self.variance * factor * factor)


def weights(filler: Any, shape: Shape) -> Weights | None:
    """What fills a parameter of a shape; None where no filler of Caffe has that name."""
    kind = filler.type
    if kind == "constant":
        return Weights(filler.value, 0.0)
    if kind == "gaussian":
        kept = filler.sparse / shape[0] if filler.sparse >= 0 and shape and shape[0] else 1.0
        square = (filler.mean**2 + filler.std**2) * kept
        return Weights(filler.mean * kept, max(square - (filler.mean * kept) ** 2, 0.0))
    if kind == "uniform":
        return Weights((filler.min + filler.max) / 2, (filler.max - filler.min) ** 2 / 12)
    if kind == "positive_unitball":
        inputs = count(shape, 1)
        # A uniform draw over its sum: 1/n each, with the spread of a uniform number.
        return Weights(1 / inputs, 1 / (3 * inputs * inputs)) if inputs else None
    if kind in ("xavier", "msra"):
        fan = _fan(filler, shape)
        return Weights(0.0, (1.0 if kind == "xavier" else 2.0) / fan) if fan else None
    if kind == "bilinear" and len(shape) == 4 and shape[3]:
        return _bilinear(shape[3])
    return None


def _fan(filler: Any, shape: Shape) -> float:
    """n of XavierFiller and MSRAFiller."""
    if not shape or not shape[0]:
        return 0
    inputs = count(shape) / shape[0]
    outputs = count(shape) / shape[1] if len(shape) > 1 and shape[1] else float(count(shape))
    if filler.variance_norm == _AVERAGE:
        return (inputs + outputs) / 2
    return outputs if filler.variance_norm == _OUT else inputs


def _bilinear(size: int) -> Weights:
    factor = math.ceil(size / 2)
    centre = (2 * factor - 1 - factor % 2) / (2 * factor)
    line = [1 - abs(x / factor - centre) for x in range(size)]
    mean = (sum(line) / size) ** 2
    return Weights(mean, max((sum(x * x for x in line) / size) ** 2 - mean * mean, 0.0))
