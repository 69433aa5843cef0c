"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from caffelint.text.patterns import compiled_later


def test_it_answers_as_what_re_compiles() -> None:
    assert compiled_later(r"a(b+)", re.I).sub(r"<\1>", "xABB") == re.sub(r"a(b+)", r"<\1>", "xABB", flags=re.I)
    match = compiled_later(rb"\d+").search(b"no 12")
    assert match is not None
    assert match[0] == b"12"


def test_a_pattern_is_read_when_it_is_used() -> None:
    broken = compiled_later("(")
    with pytest.raises(re.error):
        broken.search("")
