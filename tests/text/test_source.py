"""Lines and columns as an editor shows them."""

from __future__ import annotations

import pytest
from cost import soon

from caffelint.text.source import Source, decode


@pytest.mark.parametrize(
    ("data", "offset", "position"),
    [
        (b"", 0, (1, 1)),
        (b"ab", 1, (1, 2)),
        (b"a\nb", 2, (2, 1)),
        (b"a\r\nb", 3, (2, 1)),
        (b"a\rb\rc", 4, (3, 1)),
        (b"a\rb\nc", 4, (2, 1)),
        ("né: 1".encode(), 3, (1, 3)),
        ("# 名称\n名: 1".encode(), 12, (2, 2)),
        ("# é\nné: 1".encode("latin-1"), 6, (2, 3)),
        ("\U0001f600 a".encode(), 5, (1, 3)),
        ("\U0001f600 a".encode(), 2, (1, 1)),
        ("é".encode() + b"\xe9 a", 4, (1, 5)),
        ("é".encode(), 9, (1, 2)),
    ],
)
def test_position(data: bytes, offset: int, position: tuple[int, int]) -> None:
    assert Source(data).position(offset) == position
    assert Source(data).line_number(offset) == position[0]


def test_lines() -> None:
    source = Source("é\r\nb\n\nc".encode())
    assert [source.line(number) for number in (1, 2, 3, 4)] == ["é", "b", "", "c"]
    assert source.slice(0, 2) == "é"


def test_offsets_into_the_text_are_byte_offsets() -> None:
    source = Source("é: 1".encode())
    assert source.text.index(":") == source.data.index(b":") == 2


def test_text_that_is_no_utf8_is_latin1() -> None:
    assert decode(b"\xe9") == decode("é".encode()) == "é"


def test_columns_of_a_long_line_cost_no_more_each() -> None:
    source = Source("é".encode() * 400_000)
    with soon():
        assert [source.position(2 * number).column for number in range(400_000)] == [*range(1, 400_001)]
