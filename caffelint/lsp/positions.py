"""Between the bytes of a text and the positions of the protocol, which count lines and UTF-16 units from 0."""

from __future__ import annotations

import re
from bisect import bisect_right

from lsprotocol.types import Position, PositionEncodingKind, Range

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Lines:
    """The lines of a text as the protocol counts them; a lone CR ends one, too.

    `data` is UTF-8, or, of a file that is not, whatever the disk holds: such bytes count as one character each.
    """

    def __init__(self, data: bytes, encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16):
        self.data = data
        self._encoding = str(getattr(encoding, "value", encoding))
        self._is_ascii = data.isascii()
        self.starts = [0, *(found.end() for found in _LINE_END.finditer(data))]

    def position(self, offset: int) -> Position:
        """The position of a byte; of one beyond the text, its end."""
        offset = max(0, min(offset, len(self.data)))
        line = bisect_right(self.starts, offset) - 1
        start = self.starts[line]
        if self._is_ascii or self._encoding == "utf-8":
            return Position(line, offset - start)
        return Position(line, self._units(_decoded(self.data[start:offset])))

    def offset(self, position: Position) -> int:
        """The byte at a position; beyond the end of a line, the end of it; beyond the last line, that of the text."""
        line, left = int(position.line), int(position.character)
        if line >= len(self.starts):
            return len(self.data)
        start, end = self.starts[line], self.end_of(line)
        if self._is_ascii or self._encoding == "utf-8":
            return min(start + left, end)
        offset = start
        for character in _decoded(self.data[start:end]):
            left -= self._units(character)
            if left < 0:
                break
            offset += len(character.encode("utf-8", "surrogateescape"))
        return min(offset, end)

    def range(self, start: int, end: int) -> Range:
        return Range(self.position(start), self.position(end))

    def end_of(self, line: int) -> int:
        """The byte after the last of a line, its end excluded."""
        start = self.starts[line]
        if line + 1 == len(self.starts):
            return len(self.data)
        return start + len(self.data[start : self.starts[line + 1]].rstrip(b"\r\n"))

    def _units(self, text: str) -> int:
        return len(text) if self._encoding == "utf-32" else len(text) + sum(character > "\uffff" for character in text)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
