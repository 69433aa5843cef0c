"""Text that leaves for a terminal, a log or a report, made harmless: file and layer names are written by strangers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from caffelint.text.patterns import compiled_later

_COMMAND = compiled_later(r"(?<!\S)::|##(?=\[|vso\[|teamcity\[)")
"""What a build server obeys where it sees it in a log: GitHub's `::error` at the start of a line and `##[error]`
anywhere (actions/runner, ActionCommand.cs), Azure's `##vso[` and TeamCity's `##teamcity[`."""


def visible(text: str) -> str:
    """One line of text to be shown: what is unseen, drives a terminal or commands a build server is shown by number.

    A tab becomes blanks; line ends, other control characters, marks of writing direction and bytes that are no text
    become `<U+001B>`.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else "    " if c == "\t" else _number(c) for c in text)
    if "::" in text or "##" in text:
        text = _COMMAND.sub(lambda match: _number(match[0][0]) + match[0][1:], text)
    return text


def visible_lines(data: bytes, *, exact_bytes: bool = False) -> bytes:
    """Lines of a file to be shown, each as `visible` has it, with tabs, and CR before LF, left.

    `exact_bytes` leaves what is not UTF-8 as it is, for another program to read; a terminal may take it for a command.
    """
    if data.isascii() and not _CONTROLS.search(data) and not _COMMANDS.search(data):
        return data
    return b"\n".join(_visible_line(line, exact_bytes) for line in data.split(b"\n"))


_CONTROLS = compiled_later(rb"[^\n\t -~]")
_COMMANDS = compiled_later(rb"(?<!\S)::|##")


def _visible_line(line: bytes, exact_bytes: bool) -> bytes:
    end = b"\r" if line.endswith(b"\r") else b""
    text = line.removesuffix(b"\r").decode("utf-8", "surrogateescape")
    if not exact_bytes:
        text = re.sub("[\udc80-\udcff]", lambda match: f"<0x{ord(match[0]) - 0xDC00:02X}>", text)
    pieces = re.split("([\t\udc80-\udcff])", text)  # as they are at the odd places
    shown = (piece if odd % 2 else visible(piece) for odd, piece in enumerate(pieces))
    return "".join(shown).encode("utf-8", "surrogateescape") + end


def _number(character: str) -> str:
    return f"<U+{ord(character):04X}>"


def json_text(value: Any, indent: int | None = 2) -> str:
    """JSON in ASCII that no build server takes a command from, though it holds the names as they are.

    A number that is not finite, which JSON has not, becomes null.
    """
    try:
        text = json.dumps(value, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), indent=indent)
    return re.sub("#(?=#)", r"\\u0023", text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def json_pieces(value: Any, end: str = "\n") -> Iterator[str]:
    """The pieces of `json_text` of a value; a list of many may be an iterator, so that they never exist all at once."""
    inner = end + "  "
    if isinstance(value, Iterator):
        begin = "["
        for item in value:
            yield begin + inner
            yield from json_pieces(item, inner)
            begin = ","
        yield end + "]" if begin == "," else "[]"
    elif isinstance(value, dict) and any(isinstance(item, Iterator) for item in value.values()):
        begin = "{"
        for key, item in value.items():
            yield f"{begin}{inner}{json_text(key)}: "
            yield from json_pieces(item, inner)
            begin = ","
        yield end + "}"
    else:  # a line end within a text is written as \\n
        yield json_text(value).replace("\n", end)
