"""Whether a script that names a file writes it, or only speaks of it: as a default, or an argument of what reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.text.patterns import compiled_later

_STORES = compiled_later(
    r"\bopen\([^\n]{0,300}\\?['\"][wa]b?\+?\\?['\"]|\bfopen\(|\bsed -i|\b(?:cp|mv|copy\w{0,9}|move|rename)\b"
    r"|writ|save|dump|(?:\b|_)(?:gen|creat|mak|export|build)(?![\w.-]{0,40}/)",
    re.I,
)
"""That a line stores something: by a mode of `open`, a command, or the name of a function; not by that of a folder, as
of `build/tools/caffe`.
"""
_INTO = compiled_later(r"(?:(?:>|\btee\b)[^\n|;&<]{0,200}|[ \t](?:-o|--?out(?:put)?)[ \t=]{1,9}[^\s|;&<]{0,200})\Z")
_HELD = compiled_later(r"\b([A-Za-z_]\w{0,80})['\"\]]{0,3}[ \t]{0,9}=(?!=)[^\n]{0,200}\Z")
_GIVEN = compiled_later(r"\b([A-Za-z_]\w{0,80})\([^()\n]{0,200}\Z")
_GOES_ON = compiled_later(r"[(\[,\\][ \t]{0,9}\n[^\n]{0,300}\Z")
_LETTER = compiled_later(r"\w")
_LONGEST = 300
_MOST_USES = 50


def is_written(text: str, start: int, end: int) -> bool:
    """Is the file whose name has this place stored: there, or where what holds the name is used?"""
    if _stores(text, start, end):
        return True
    before = text[max(0, start - _LONGEST) : start].rpartition("\n")[2]
    held = _HELD.search(before)
    if held and any(_stores(text, *use) for use in _uses(text, held[1]) if not start - _LONGEST < use[0] < end):
        return True
    given = _GIVEN.search(before)
    return bool(given and f"def {given[1]}(" in text)


def _stores(text: str, start: int, end: int) -> bool:
    """Does the line store something, with those before it on which its call begins?"""
    before = text[max(0, start - _LONGEST) : start]
    line = before.rpartition("\n")[2]
    if _GOES_ON.search(before):
        line = "\n".join(before.split("\n")[-2:])
    after = text[end : end + _LONGEST].partition("\n")[0]
    return bool(_INTO.search(line) or _STORES.search(line.replace("\n", " ") + after))


def _uses(text: str, name: str) -> Iterator[tuple[int, int]]:
    for number, found in enumerate(re.finditer(re.escape(name), text)):
        if number == _MOST_USES:
            return
        start, end = found.span()
        if not any(_LETTER.fullmatch(one) for one in (text[start - 1 : start], text[end : end + 1])):
            yield start, end
