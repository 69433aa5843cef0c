"""What a scalar's text means, as protobuf's text format reads it (C++ protobuf 3.12, io/tokenizer.cc)."""

from __future__ import annotations

import re

from caffelint.text.patterns import compiled_later

TOO_LARGE = 1 << 64
"""Represents every integer beyond all integer types; what was written may have a million digits."""

_MOST_DIGITS = 20
_ESCAPE = compiled_later(
    r"\\(?:([abfnrtv\\?'\"])|([0-7]{1,3})|x([0-9A-Fa-f]{1,2})"
    r"|u([Dd][89ABab][0-9A-Fa-f]{2})\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U(00[01][0-9A-Fa-f]{5}))"
)
_PIECE = compiled_later(r"\"([^\"\\]*(?:\\.[^\"\\]*)*)\"?|'([^'\\]*(?:\\.[^'\\]*)*)'?|#[^\n]*", re.DOTALL)
_WITH_THOUSANDS = compiled_later(r"-?(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*|0)", re.ASCII)
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def _unescape(match: re.Match[str]) -> str:
    simple, octal, two, head, trail, four, eight = match.groups()
    if simple:
        return _SIMPLE.get(simple, simple)
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if two:
        return chr(int(two, 16))
    if head:
        return _utf8(0x10000 + ((int(head, 16) - 0xD800) << 10) + int(trail, 16) - 0xDC00)
    return _utf8(int(four or eight, 16))


def _utf8(code: int) -> str:
    """The UTF-8 of a number below 2^21, one character a byte, even of what is not a code point (as protobuf does)."""
    if code > 0x10FFFF:
        return chr(0xF0 | code >> 18) + "".join(chr(0x80 | code >> shift & 0x3F) for shift in (12, 6, 0))
    return chr(code).encode("utf-8", "surrogatepass").decode("latin-1")


def string_bytes(text: str) -> bytes:
    """The bytes of a string scalar, without quotes, with adjacent strings joined and escapes resolved.

    A field without a value has none.
    """
    content = text[1:-1]
    if "\\" not in content and text[:1] not in content or not text:
        return content.encode("latin-1")
    pieces = [m[1] if m[1] is not None else m[2] or "" for m in _PIECE.finditer(text)]
    return "".join(_ESCAPE.sub(_unescape, piece) for piece in pieces).encode("latin-1")


def string_value(text: str) -> str:
    """The value of a string scalar; bytes that are not UTF-8 are read as latin-1."""
    data = string_bytes(text)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def integer_value(text: str) -> int:
    """A decimal, octal (`010` is 8) or hexadecimal integer, with its sign; not beyond `TOO_LARGE` and its negative."""
    digits = text.lstrip("-")
    base = 10
    if digits[0] == "0" and len(digits) > 1:
        base = 16 if digits[1] in "xX" else 8
    elif len(digits) > _MOST_DIGITS:
        digits = str(TOO_LARGE)
    value = min(int(digits, base), TOO_LARGE)
    return -value if text[0] == "-" else value


def without_thousands(text: str) -> str:
    """`1000` for the whole number `1,000`, and `1000` itself; empty for all else."""
    return text.replace(",", "") if _WITH_THOUSANDS.fullmatch(text) else ""
