"""Where the comments of a text are."""

from __future__ import annotations

import re

from caffelint.text.patterns import compiled_later

_COMMENT_OR_STRING = compiled_later(r"(#[^\n\0]*)|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?", re.DOTALL)


def find_comments(text: str) -> list[tuple[int, int]]:
    """Spans of the comments in `text`; a `#` inside a string is not one."""
    spans = []
    for found in _COMMENT_OR_STRING.finditer(text):
        if found[1] is not None:
            start, end = found.span(1)
            spans.append((start, end - (text[end - 1] == "\r")))
    return spans
