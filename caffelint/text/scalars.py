"""What a scalar's text means, as protobuf's text format reads it (C++ protobuf 3.12, io/tokenizer.cc)."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:([abfnrtv\\?'\"])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))", re.ASCII
)
_PIECE = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|#[^\n]*", re.DOTALL)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def _unescape(match: re.Match[str]) -> str:
    simple, octal, two, four, eight = match.groups()
    if simple:
        return _SIMPLE.get(simple, simple)
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if two:
        return chr(int(two, 16))
    return chr(int(four or eight, 16)).encode("utf-8", "surrogatepass").decode("latin-1")


def string_bytes(text: str) -> bytes:
    """The bytes that a string scalar stands for: quotes gone, adjacent strings joined, escapes resolved."""
    content = text[1:-1]
    if "\\" not in content and text[0] not in content:
        return content.encode("latin-1")
    pieces = [m.group(1) if m.group(1) is not None else m.group(2) or "" for m in _PIECE.finditer(text)]
    return "".join(_ESCAPE.sub(_unescape, piece) for piece in pieces).encode("latin-1")


def string_value(text: str) -> str:
    """The string that a scalar stands for; bytes that are no UTF-8 are read as latin-1."""
    data = string_bytes(text)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def integer_value(text: str) -> int:
    """A decimal, octal (`010` is 8) or hexadecimal integer, with its sign."""
    digits = text.lstrip("-")
    base = 10
    if digits[0] == "0" and len(digits) > 1:
        base = 16 if digits[1] in "xX" else 8
    value = int(digits, base)
    return -value if text[0] == "-" else value
