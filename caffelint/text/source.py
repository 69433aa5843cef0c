"""A file's bytes, and where in them a person would look: lines, and columns in characters."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from io import BytesIO
from itertools import accumulate

from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_INNER = compiled_later(rb"[\x80-\xbf]")


class Position(NamedTuple):
    """1-based line and column; the column counts code points, as an editor does."""

    line: int
    column: int


def decode(data: bytes) -> str:
    """Bytes of prototxt as text for people: UTF-8, and latin-1 where it is not."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class Source:
    """The bytes of one file. `text` holds them one character a byte, so offsets into it are byte offsets.

    has_lines: False for what stands for something in a file that is not text.
    """

    has_lines = True

    def __init__(self, data: bytes, path: str = "<text>"):
        self.data = data
        self.path = path
        self.text = data.decode("latin-1")
        self._is_ascii = data.isascii()
        self._inner_bytes: dict[int, list[int]] = {}
        self._starts: Sequence[int] | None = None
        self._lines: dict[int, str] = {}

    @property
    def line_starts(self) -> Sequence[int]:
        """Offset of each line; a line ends with LF, CRLF or, in files without any LF, CR."""
        if self._starts is None:
            data = self.data if b"\n" in self.data else self.data.replace(b"\r", b"\n")
            starts = array("Q", accumulate(map(len, BytesIO(data)), initial=0))
            if data and not data.endswith(b"\n"):
                starts.pop()
            self._starts = starts
        return self._starts

    def line_number(self, offset: int) -> int:
        """The 1-based line of an offset, for less than its position costs where lines are long."""
        return bisect_right(self.line_starts, offset)

    def position(self, offset: int) -> Position:
        line = self.line_number(offset)
        start = self.line_starts[line - 1]
        if self._is_ascii:
            return Position(line, max(0, min(offset, len(self.data)) - start) + 1)
        inner = self._inner(line)
        offset = min(offset, len(self.data))
        return Position(line, max(0, offset - start - bisect_right(inner, offset)) + 1)

    def _inner(self, line: int) -> list[int]:
        """The offsets in a line of bytes that begin no character; none where it is not UTF-8, as `line` shows it."""
        if line not in self._inner_bytes:
            start, end = self._range(line)
            data = self.data[start:end]
            inner = [start + one.start() for one in _INNER.finditer(data)]
            self._inner_bytes[line] = inner if len(decode(data)) == len(data) - len(inner) else []
        return self._inner_bytes[line]

    def _range(self, line: int) -> tuple[int, int]:
        starts = self.line_starts
        return starts[line - 1], starts[line] if line < len(starts) else len(self.data)

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its end; the same object each time, for all that is found in it."""
        if number not in self._lines:
            self._lines[number] = self.slice(*self._range(number)).rstrip("\r\n")
        return self._lines[number]

    def slice(self, start: int, end: int) -> str:
        return decode(self.data[start:end])
