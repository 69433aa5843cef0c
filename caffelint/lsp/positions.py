"""Between the bytes of a text and the positions of the protocol, which count lines and UTF-16 units from 0."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right

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
        self._columns_of: dict[int, array[int]] = {}

    def position(self, offset: int) -> Position:
        """The position of a byte; of one beyond the text, its end."""
        offset = max(0, min(offset, len(self.data)))
        line = bisect_right(self.starts, offset) - 1
        start = self.starts[line]
        if self._is_ascii or self._encoding == "utf-8":
            return Position(line, offset - start)
        return Position(line, self._columns(line)[offset - start])

    def offset(self, position: Position) -> int:
        """The byte at a position; beyond the end of a line, the end of it; beyond the last line, that of the text."""
        line, left = int(position.line), int(position.character)
        if line >= len(self.starts):
            return len(self.data)
        start, end = self.starts[line], self.end_of(line)
        if self._is_ascii or self._encoding == "utf-8":
            return min(start + left, end)
        columns = self._columns(line)
        at = bisect_right(columns, max(0, left)) - 1
        return min(start + bisect_left(columns, columns[at]), end)

    def range(self, start: int, end: int) -> Range:
        return Range(self.position(start), self.position(end))

    def end_of(self, line: int) -> int:
        """The byte after the last of a line, its end excluded."""
        start = self.starts[line]
        if line + 1 == len(self.starts):
            return len(self.data)
        return start + len(self.data[start : self.starts[line + 1]].rstrip(b"\r\n"))

    def _columns(self, line: int) -> array[int]:
        """For each byte of a line, and its end, how many units are before its character: made once, as asked often."""
        if line not in self._columns_of:
            columns, units = array("L"), 0
            after = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.data)
            for character in self.data[self.starts[line] : after].decode("utf-8", "surrogateescape"):
                columns.extend([units] * len(character.encode("utf-8", "surrogateescape")))
                units += 2 if character > "\uffff" and self._encoding != "utf-32" else 1
            columns.append(units)
            self._columns_of[line] = columns
        return self._columns_of[line]
