"""The result of a scan of the data, as an event (events.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Odd(NamedTuple):
    """A batch of a scan: its number, its loss, and where its forward pass first gave what is not finite ("" for
    nowhere). nan: or was it infinite?"""

    number: int
    loss: float
    layer: str
    nan: bool


class Scanned(NamedTuple):
    """All batches were looked at forward only (scan.py); from the command, not from an engine.

    low, usual, high: least, median and greatest finite loss. odd: what is not finite, or far above the median.
    """

    batches: int
    low: float
    usual: float
    high: float
    odd: Sequence[Odd]
