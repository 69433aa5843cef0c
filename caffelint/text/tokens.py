"""The tokens of prototxt, with everything that C++ protobuf's tokenizer (io/tokenizer.cc) objects to."""

from __future__ import annotations

import re

from caffelint.text.records import NamedTuple
from caffelint.text.tree import FLOAT, IDENTIFIER, INTEGER, STRING

SYMBOL, END = 10, 11

_TRIVIA = re.compile(r"(?:[ \t\r\n\f\v]+|#[^\n\0]*)*")
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NUMBER = re.compile(
    r"(?P<hex>0[xX][0-9A-Fa-f]*)"
    r"|(?P<octal>0[0-7]+)(?P<notoctal>\d*)"
    r"|(?:0(?=\d)\d*|(?:\d+(?:\.\d*)?|\.\d+)(?P<exponent>[eE][+-]?(?P<power>\d*))?[fF]?)",
    re.ASCII,
)
_STRING = {
    '"': re.compile(r'"((?:[^"\\\n\0]+|\\[^\n\0])*)(")?'),
    "'": re.compile(r"'((?:[^'\\\n\0]+|\\[^\n\0])*)(')?"),
}
_CLOSED_STRING = {
    '"': re.compile(r'"(?:[^"\\\n]|\\[^\n])*"'),
    "'": re.compile(r"'(?:[^'\\\n]|\\[^\n])*'"),
}
"""With NUL bytes in it or not."""
_BAD_ESCAPE = re.compile(
    r"\\(?:[abfnrtv\\?'\"0-7]|x[0-9A-Fa-f]|u[0-9A-Fa-f]{4}|U00[01][0-9A-Fa-f]{5}|(?P<bad>.))", re.DOTALL
)
_OPEN_STRING_END = re.compile(r"(?<![ \t])[ \t]*(?:[};,#]|\Z)|[ \t]\w+[ \t]*[:{]", re.ASCII)
_LONG = 1000
_BRACKETS = frozenset("{}")
"""Which no path has behind a backslash, and the Python or YAML of a param_str does not want escaped."""


class Wrong(NamedTuple):
    """What is wrong inside a token: where, in words, and the text that would be right there (None if unclear)."""

    start: int
    end: int
    message: str
    repair: str | None = None


class Token(NamedTuple):
    """A token. A string that is not closed ends where it probably should."""

    kind: int
    start: int
    end: int
    wrong: Wrong | None = None


def skip_trivia(text: str, position: int) -> int:
    """Past white space and comments."""
    found = _TRIVIA.match(text, position)
    return found.end() if found else position


def next_token(text: str, position: int) -> Token:
    """The token after `position`. Any character that starts nothing else is a SYMBOL of length 1."""
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
    shown = raw if len(raw) < 40 else raw[:37] + "..."
    is_float = not found["hex"] and any(char in ".eEfF" for char in raw)
    follows = text[end : end + 1]
    wrong = ""
    if found["hex"] and len(raw) == 2:
        wrong = "0x needs hexadecimal digits after it"
    elif raw[0] == "0" and raw.isdigit() and ("8" in raw or "9" in raw):
        digit = next(digit for digit in raw if digit in "89")
        wrong = f"{shown} starts with 0, which makes it octal, and octal has no digit {digit}; drop the leading 0"
    elif found["exponent"] and not found["power"]:
        wrong = f"{shown} has no exponent after its e"
    elif follows == ".":
        second = f"{shown} is followed by a second decimal point"
        wrong = second if is_float else f"{shown}. is not a number; hexadecimal and octal numbers have no decimal point"
    elif follows.isascii() and (follows.isalpha() or follows == "_"):
        word = _WORD.match(text, end)
        name = word[0] if word else follows
        missing = Wrong(end, end + len(name), _glued(shown, name), " " + name)
        return Token(FLOAT if is_float else INTEGER, start, end, missing)
    return Token(FLOAT if is_float else INTEGER, start, end, Wrong(start, end, wrong) if wrong else None)


def _glued(number: str, name: str) -> str:
    shown = name if len(name) < 40 else name[:37] + "..."
    return f"a space is missing between {number} and {shown}"


def _string(text: str, start: int, quote: str) -> Token:
    found = _STRING[quote].match(text, start)
    assert found is not None
    end = found.end()
    if found[2] is None:
        return _open_string(text, start, end, quote)
    if "\\" in found[1]:
        for escape in _BAD_ESCAPE.finditer(text, start, end - 1):
            if escape["bad"] is not None:
                bracket = escape[0][1:] if escape[0][1:] in _BRACKETS else ""
                remedy = "drop the backslash" if bracket else "write \\\\ for a backslash"
                message = f'"{escape[0]}" is not an escape sequence; {remedy}'
                # Valid escapes beside it are then likely not meant as escapes either: a person has to decide.
                others = {other[0] for other in _BAD_ESCAPE.finditer(text, start, end - 1) if other["bad"] is None}
                repair = (bracket or "\\" + escape[0]) if others <= {"\\\\"} else None
                wrong = Wrong(escape.start(), escape.end(), message, repair)
                return Token(STRING, start, end, wrong)
    return Token(STRING, start, end)


def _open_string(text: str, start: int, end: int, quote: str) -> Token:
    """A string that its line or a NUL byte ends: up to what surely is no longer part of it, if the line is short.

    With a NUL byte in it, up to the quote after that on its line.
    """
    if text[end : end + 1] == "\0":
        wrong = Wrong(end, end + 1, "the string contains a NUL byte")
        closed = _CLOSED_STRING[quote].match(text, start)
        return Token(STRING, start, closed.end() if closed else end, wrong)
    if text[end : end + 1] == "\\":
        end += 1
    if end - start < _LONG:
        for stop in _OPEN_STRING_END.finditer(text, start + 1, end):
            inside = text[start : stop.start()]
            if not stop[0].endswith("}") or inside.count("{") <= inside.count("}"):  # else that of a placeholder
                end = stop.start()
                break
    while text[end - 1] in " \t\r":
        end -= 1
    message = f"the string that starts here has no closing {quote}"
    return Token(STRING, start, end, Wrong(start, end, message, text[start:end] + quote))
