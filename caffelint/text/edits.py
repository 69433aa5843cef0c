"""Changes to a text: replace some spans, leave every other byte as it is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from caffelint.text.records import NamedTuple


class Edit(NamedTuple):
    """Put `text` in place of the bytes from `start` to `end`; an insertion where the two are equal."""

    start: int
    end: int
    text: str


class OverlappingEdits(ValueError):
    """Two edits want the same bytes."""


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """`data` with the edits made; insertions at one place keep the order given.

    Raises `OverlappingEdits` if two change the same bytes, `ValueError` if one is outside the text.
    """
    pieces: list[bytes] = []
    done = 0
    for edit in sorted(edits, key=_place):
        if edit.start < done:
            raise OverlappingEdits(f"two edits overlap at byte {edit.start}")
        if not edit.start <= edit.end <= len(data):
            raise ValueError(f"no bytes {edit.start} to {edit.end} in a text of {len(data)}")
        pieces += (data[done : edit.start], edit.text.encode("utf-8", "surrogateescape"))
        done = edit.end
    pieces.append(data[done:])
    return b"".join(pieces)


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def with_line_ends_of(data: bytes, text: str) -> str:
    """`text` with CRLF for its line ends where most lines of `data` end so."""
    if "\n" not in text or not _of_windows(data):
        return text
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


@lru_cache(maxsize=2)
def _of_windows(data: bytes) -> bool:
    return 2 * data.count(b"\r\n") > data.count(b"\n")
