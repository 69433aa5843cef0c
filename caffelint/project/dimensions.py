"""What a text may tell of the shape of a blob: numbers, and the sizes of other blobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caffelint.text.records import NamedTuple

WHOLE = -1


class OfBottom(NamedTuple):
    """The size of an axis of a bottom, or the sizes of all of its axes: `WHOLE`."""

    bottom: int
    axis: int


Dimension = int | OfBottom
TopShapes = Mapping[int, Sequence[Dimension]]
"""The dimensions of tops, by their numbers, as far as they are known."""
