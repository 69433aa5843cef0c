"""The matrix H of an InfogainLoss: what a label of one class costs for the probability of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from caffelint.lint.data_source import Unreadable
from caffelint.lint.read import ReadError, read
from caffelint.lint.source_shapes import find_source, places_of

if TYPE_CHECKING:
    from caffelint.evidence.data.sources import Feed
    from caffelint.lint.reach import Reach

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


def matrix_of(source: str, path: str = "", reach: Reach | None = None) -> Matrix | None:
    """H from a file, by default the one that the layer names (infogain_loss_layer.cpp, LayerSetUp); None where it
    cannot be read."""
    from google.protobuf.message import DecodeError

    from caffelint.schema import BlobProto

    try:
        blob: Any = BlobProto.FromString(read(path or source, _LARGEST, reach))
    except (ReadError, DecodeError):
        return None
    values = list(blob.data) or list(blob.double_data)
    classes = math.isqrt(len(values))
    if not classes or classes * classes != len(values):
        return None
    return Matrix(source, [values[at : at + classes] for at in range(0, len(values), classes)])


def matrices_of(found: Sequence[Feed], roots: Sequence[str], *, confined: bool = False) -> dict[str, Matrix]:
    """Those that the losses of these nets name, by that name."""
    matrices: dict[str, Matrix] = {}
    for net in {id(feed.net): feed.net for feed in found}.values():
        for layer in net.by_type.get("InfogainLoss", ()):
            source = layer.message.infogain_loss_param.source
            if not source or source in matrices or len(layer.bottoms) > 2:
                continue
            places = places_of(net.path, roots, confined=confined)
            try:
                one = matrix_of(source, find_source(source, places), places.reach)
            except Unreadable:
                continue
            if one is not None:
                matrices[source] = one
    return matrices
