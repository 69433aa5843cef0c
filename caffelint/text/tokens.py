"""The tokens of prototxt, with everything that C++ protobuf's tokenizer (io/tokenizer.cc) objects to."""

from __future__ import annotations

import re
from typing import NamedTuple

from caffelint.text.tree import FLOAT, IDENTIFIER, INTEGER, STRING

SYMBOL, END = 10, 11

_TRIVIA = re.compile(r"(?:[ \t\r\n\f\v]+|#[^\n\0]*)*")
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NUMBER = re.compile(
    r"(?P<hex>0[xX][0-9A-Fa-f]*)"
    r"|(?P<octal>0[0-7]+)(?P<notoctal>\d*)"
    r"|(?P<decimal>(?:\d+(?:\.\d*)?|\.\d+)(?:(?P<exponent>[eE][+-]?)(?P<power>\d*))?[fF]?)",
    re.ASCII,
)
_STRING = {
    '"': re.compile(r'"((?:[^"\\\0]|\\[^\0])*)(")?'),
    "'": re.compile(r"'((?:[^'\\\0]|\\[^\0])*)(')?"),
}
_BAD_ESCAPE = re.compile(
    r"\\(?:[abfnrtv\\?'\"]|[0-7]|x[0-9A-Fa-f]|u[0-9A-Fa-f]{4}|U00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4}|(?P<bad>.?))",
    re.DOTALL,
)


class Token(NamedTuple):
    """A token, and what is wrong inside it: (start, end, message), or None."""

    kind: int
    start: int
    end: int
    wrong: tuple[int, int, str] | None = None


def skip_trivia(text: str, position: int) -> int:
    """Past white space and comments."""
    found = _TRIVIA.match(text, position)
    return found.end() if found else position


def next_token(text: str, position: int) -> Token:
    """The token behind `position`. Any character that starts nothing else is a SYMBOL of length 1."""
    start = skip_trivia(text, position)
    if start >= len(text):
        return Token(END, start, start)
    char = text[start]
    if word := _WORD.match(text, start):
        return Token(IDENTIFIER, start, word.end())
    if char in "\"'":
        return _string(text, start, char)
    if number := _NUMBER.match(text, start):
        return _number(text, start, number)
    return Token(SYMBOL, start, start + 1)


def _number(text: str, start: int, found: re.Match[str]) -> Token:
    end = found.end()
    raw = found[0]
    if found["hex"]:
        wrong = "0x needs hexadecimal digits behind it" if len(raw) == 2 else ""
        is_float = False
    elif found["octal"]:
        wrong = f"{raw} starts with 0, which makes it octal, and octal has no digit {_non_octal(raw)}" if (
            found["notoctal"]
        ) else ""
        is_float = False
    else:
        is_float = any(char in ".eEfF" for char in raw)
        wrong = ""
        if raw[0] == "0" and len(raw) > 1 and raw[1].isdigit():
            wrong = f"{raw} starts with 0, which makes it octal, and octal has no digit {_non_octal(raw)}"
        elif found["exponent"] and not found["power"]:
            wrong = f"{raw} has no exponent behind its e"
    if not wrong and text[end : end + 1] == ".":
        wrong = f"{raw} is followed by a second decimal point" if is_float else f"{raw}. is no number"
    return Token(FLOAT if is_float else INTEGER, start, end, (start, end, wrong) if wrong else None)


def _non_octal(raw: str) -> str:
    return next((digit for digit in raw if digit in "89"), "8")


def _string(text: str, start: int, quote: str) -> Token:
    found = _STRING[quote].match(text, start)
    assert found is not None
    end = found.end()
    line_end = text.find("\n", start)
    many_lines = 0 <= line_end < end
    closed = found[2] is not None
    glued = closed and many_lines and re.match(r"[\w./-]", text[end : end + 1], re.ASCII)
    if not closed or glued:
        stop = line_end if many_lines else end
        if text[stop - 1] == "\r":
            stop -= 1
        if stop < len(text) and text[stop] == "\0":
            return Token(STRING, start, stop, (stop, stop + 1, "a NUL byte stands inside the string"))
        return Token(STRING, start, stop, (start, stop, f"the string that starts here has no closing {quote}"))
    for escape in _BAD_ESCAPE.finditer(text, start, end - 1):
        if escape["bad"] is not None:
            written = f"\\{escape['bad']}"
            message = f"{written} is no escape sequence, write \\\\ for a backslash"
            return Token(STRING, start, end, (escape.start(), escape.end(), message))
    return Token(STRING, start, end)
