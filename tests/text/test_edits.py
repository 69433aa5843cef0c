"""Edits change what they name and not a byte more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffelint.text.edits import Edit, OverlappingEdits, apply_edits, with_line_ends_of


def test_replace_insert_remove() -> None:
    assert apply_edits(b"a: 1 b: 2", [Edit(8, 9, "30"), Edit(0, 1, ""), Edit(5, 5, "é ")]) == ": 1 é b: 30".encode()


def test_nothing_to_do() -> None:
    assert apply_edits(b"a: \xff\r\n", []) == b"a: \xff\r\n"


def test_overlap_is_refused() -> None:
    with pytest.raises(OverlappingEdits, match="byte 2"):
        apply_edits(b"abcdef", [Edit(0, 3, "x"), Edit(2, 4, "y")])


@given(
    st.binary(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.text(max_size=3)), max_size=4)
)
def test_bytes_outside_of_edits_stay(data: bytes, wanted: list[tuple[int, int, str]]) -> None:
    edits, position = [], 0
    for start, length, text in sorted(wanted):
        if position <= start <= start + length <= len(data):
            edits.append(Edit(start, start + length, text))
            position = start + length + 1
    left = bytearray(data)
    for edit in reversed(edits):
        left[edit.start : edit.end] = edit.text.encode()
    assert apply_edits(data, edits) == bytes(left)


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply_edits(b"ab", [Edit(1, 1, "z"), Edit(1, 1, "y"), Edit(1, 2, "B")]) == b"azyB"


@pytest.mark.parametrize("edit", [Edit(1, 4, ""), Edit(4, 4, ""), Edit(2, 1, "")])
def test_edits_outside_of_the_text_are_refused(edit: Edit) -> None:
    with pytest.raises(ValueError, match="no bytes"):
        apply_edits(b"abc", [edit])


def test_bytes_that_are_no_utf8_go_in_as_they_came_out() -> None:
    assert apply_edits(b"a\xff", [Edit(0, 0, b"\xe9".decode("utf-8", "surrogateescape"))]) == b"\xe9a\xff"


def test_line_ends_follow_the_text() -> None:
    assert with_line_ends_of(b"a\r\nb\r\n", "x\ny\r\n") == "x\r\ny\r\n"
    assert with_line_ends_of(b"a\nb\r\nc\n", "x\n") == "x\n"
    assert with_line_ends_of(b"", "x\n") == "x\n"
