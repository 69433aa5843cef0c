"""Changes to a text: replace some spans, leave every other byte as it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """Put `text` in place of the bytes from `start` to `end`; an insertion where the two are equal."""

    start: int
    end: int
    text: str


class OverlappingEdits(ValueError):
    """Two edits want the same bytes."""


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """`data` with the edits made. Raises `OverlappingEdits` where two touch the same bytes."""
    pieces: list[bytes] = []
    done = 0
    for edit in sorted(edits):
        if edit.start < done:
            raise OverlappingEdits(f"two edits overlap at byte {edit.start}")
        pieces += (data[done : edit.start], edit.text.encode("utf-8"))
        done = edit.end
    pieces.append(data[done:])
    return b"".join(pieces)
