"""Between bytes and the positions of the protocol, as Python's own codecs count them."""

from __future__ import annotations

import pytest
from cost import follows
from lsprotocol.types import Position, PositionEncodingKind

from caffelint.lsp.positions import Lines

LINES = ["name: 'é\U0001f600x\u2028'\r\n", "layer { }\r", "# ä\U0001f600\U0001f600\n", "\n", "# ü"]
WIDTHS = {PositionEncodingKind.Utf16: ("utf-16-le", 2), PositionEncodingKind.Utf32: ("utf-32-le", 4)}
MOST_TIME = 8
"""By how much the CPU time of a text four times as large may be more: 4 is linear, and 16 grows with the square."""


@pytest.mark.parametrize("encoding", WIDTHS)
def test_each_character_of_each_line(encoding: PositionEncodingKind) -> None:
    codec, width = WIDTHS[encoding]
    lines = Lines("".join(LINES).encode(), encoding)
    before = 0
    for number, line in enumerate(LINES):
        for at in range(len(line.rstrip("\r\n")) + 1):
            offset = before + len(line[:at].encode())
            position = Position(number, len(line[:at].encode(codec)) // width)
            assert lines.position(offset) == position
            assert lines.offset(position) == offset
        assert lines.offset(Position(number, 10**9)) == before + len(line.rstrip("\r\n").encode())
        before += len(line.encode())


def test_the_inside_of_a_character_is_where_it_begins() -> None:
    lines = Lines("#\U0001f600x".encode())
    assert lines.offset(Position(0, 2)) == 1


def test_bytes_that_are_no_text_count_as_one_each() -> None:
    lines = Lines(b"# \xff\xfe \xc3\xa9x")
    assert lines.position(7) == Position(0, 6)
    assert lines.offset(Position(0, 6)) == 7


def test_time_grows_no_faster_than_a_line() -> None:
    def look(size: int) -> None:
        lines = Lines(("# é" + "x" * size).encode())
        for offset in range(0, size, 8):
            assert lines.offset(lines.position(offset + 4)) == offset + 4

    look(100)
    assert follows(look, 8_000, 128_000)
