"""What layers take for granted of what they read."""

from __future__ import annotations

from caffelint.caffe.shapes import Shape
from caffelint.text.records import NamedTuple


class Expected(NamedTuple):
    """What a layer takes for granted of the values of a bottom: numbers from `low` to `high`.

    whole: are they labels, whole numbers? ignored: a label that counts for nothing. shape: the one that fits, None for
    any. boxes: are they the rows of ground truth of SSD, whose labels are these?
    """

    low: float
    high: float
    whole: bool = True
    ignored: int | None = None
    shape: Shape | None = None
    boxes: bool = False
