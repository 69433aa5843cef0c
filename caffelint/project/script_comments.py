"""Scripts without the lines that are comments: what such a line does, nobody runs."""

from __future__ import annotations

import re

from caffelint.text.patterns import compiled_later

_HASH = compiled_later(r"^[ \t]*#[^\n]*", re.MULTILINE)
_SLASHES = compiled_later(r"^[ \t]*//[^\n]*", re.MULTILINE)
_OF = {
    ".m": compiled_later(r"^[ \t]*%[^\n]*", re.MULTILINE),
    ".java": _SLASHES,
    ".scala": _SLASHES,
    ".cpp": _SLASHES,
    ".cc": _SLASHES,
}


def without_comment_lines(text: str, path: str) -> str:
    """The text of a script at a path, with blanks for its comment lines, so that all else stays where it is."""
    pattern = next((found for suffix, found in _OF.items() if path.endswith(suffix)), _HASH)
    return pattern.sub(lambda found: " " * len(found[0]), text)
