"""The matrix H of an InfogainLoss: what a label of one class costs for the probability of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.lint.read import ReadError, read

_LARGEST = 1 << 26
"""Bytes: of a matrix for some thousand classes."""


class Matrix(NamedTuple):
    """rows: one of each class of a label. source: as the layer names it."""

    source: str
    rows: Sequence[Sequence[float]]

    @property
    def broken(self) -> tuple[int, int] | None:
        """Row and column of the first value that is not finite."""
        return next(
            (
                (row, column)
                for row, values in enumerate(self.rows)
                for column, value in enumerate(values)
                if not math.isfinite(value)
            ),
            None,
        )

    @property
    def heaviest(self) -> tuple[int, float]:
        """The class whose row has the largest sum of sizes, and that sum: a SoftmaxWithLoss has 1 in each."""
        sums = [math.fsum(map(abs, values)) for values in self.rows]
        most = max(range(len(sums)), key=sums.__getitem__)
        return most, sums[most]

    @property
    def answer(self) -> int | None:
        """The class that is always right: no label costs anything, whatever it is, where the answer is this one."""
        used = {column for values in self.rows for column, value in enumerate(values) if value}
        return used.pop() if len(used) == 1 and len(self.rows) > 1 else None

    @property
    def usual(self) -> float:
        """The median of these sums."""
        return median(math.fsum(map(abs, values)) for values in self.rows)


def matrix(layer: BuiltLayer) -> Matrix | None:
    """H from the file of an InfogainLoss (infogain_loss_layer.cpp, LayerSetUp); None where it cannot be read."""
    if layer.type != "InfogainLoss" or len(layer.bottoms) > 2:
        return None
    from google.protobuf.message import DecodeError

    from caffelint.schema import BlobProto

    source = layer.message.infogain_loss_param.source
    try:
        blob: Any = BlobProto.FromString(read(source, _LARGEST))
    except (ReadError, DecodeError):
        return None
    values = list(blob.data) or list(blob.double_data)
    classes = math.isqrt(len(values))
    if not classes or classes * classes != len(values):
        return None
    return Matrix(source, [values[at : at + classes] for at in range(0, len(values), classes)])
