"""How a block that is put in is laid out."""

from __future__ import annotations

import pytest
from cost import soon

from caffelint.fix.finite.style import _indent_of


@pytest.mark.parametrize(
    ("text", "indent"), [("a", ""), ("  a", "  "), ("x\n\t a", "\t "), ("x\r a", " "), ("x\r\na", ""), ("x a", None)]
)
def test_indent(text: str, indent: str | None) -> None:
    assert _indent_of(text, text.index("a")) == indent


def test_the_indent_is_found_without_a_look_at_the_whole_text() -> None:
    text = "x " * 5_000_000
    with soon():
        for _ in range(60_000):
            assert _indent_of(text, len(text)) is None
