"""The line numbers of a text that was copied together with them, as from a page that shows code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caffelint.text.edits import Edit
from caffelint.text.patterns import compiled_later

_FEWEST = 5
"""Lines that are numbered: fewer numbers may be in order by chance."""
_APART, _LOST = 10, 3
"""Lines from one number to the next at most, and by how much that is larger, as some may be lost."""
_INDENT = 8
_NUMBER = compiled_later(r"^[ \t]{0,8}(\d{1,5})(?:[ \t\r]{0,40}(?:\n|\Z)|(?=[ \t]))", re.MULTILINE)


def line_numbers(text: str, start: int) -> Sequence[tuple[int, Edit]]:
    """Where each number of a run is that begins at `start`, and the edit that removes it; nothing if that is no run."""
    line = text.rfind("\n", max(0, start - _INDENT - 1), start) + 1
    if text[line:start].strip(" \t"):
        return []
    found: list[tuple[int, Edit]] = []
    number, end = 0, line
    for match in _NUMBER.finditer(text, line):
        if found and text.count("\n", end, match.start()) > _APART:
            break
        if found and not number < int(match[1]) <= number + _LOST:
            continue
        number, end = int(match[1]), match.end()
        found.append((match.start(1), Edit(match.start(1) if end == match.end(1) else match.start(), end, "")))
    return found if len(found) >= _FEWEST else []
