"""What comes next in a text, for a reader that has to guess what was meant."""

from __future__ import annotations

import re

from caffelint.text.patterns import compiled_later
from caffelint.text.tokens import END, SYMBOL, Token, next_token
from caffelint.text.tree import FLOAT, IDENTIFIER, INTEGER, STRING, Field

NUMBERS = (INTEGER, FLOAT)
_LONG = 1000
_WORD_REST = compiled_later(r"[^\s;,#{}\[\]\"'\0]*")
RUN_ON = compiled_later(
    r"[^\s;,=#{}\[\]\"']+=[^\s;,\"']*(?:[;,]+[ \t]*[^\s;,=#:{}\[\]\"']+=[^\s;,\"']*)+(?:[;,]+(?=\s*(?:\n|\Z)))?"
)
"""Settings of some program's own as one text without quotes: `A=1;B=2;`."""
_PROSE = compiled_later(r"[A-Za-z]+(?:[ \t]+[A-Za-z]+){2,200}[.!?]*(?=[ \t\r]*(?:[\n#]|\Z))")
"""A line of words."""
_REMARK = compiled_later(
    r"[A-Za-z]\w*(?:[ \t]+(?![-\d.])[^\s:;#{}\[\]<>\"'=]+){2,200}(?=[ \t\r]*(?:[\n#]|\Z))", re.ASCII
)
"""Words without a number, a sign or a text in quotes, so that no field can be among them."""
_IN_A_PATH = "+@%~&!$"
"""Signs that names of folders and files hold, and that no value does."""


def starts_field(text: str, token: Token) -> bool:
    """Whether an identifier is the name of the next field, not a value."""
    follows = next_token(text, token.end)
    return follows.kind == SYMBOL and text[follows.start] in ":{" and not _is_drive(text, token.end)


def _is_drive(text: str, end: int) -> bool:
    return text[end : end + 2] in (":/", ":\\")


def end_of_unquoted(text: str, token: Token) -> int:
    """Where a string ends that should be in quotes, such as a/b.txt, 224x224 or conv1"; 0 if it is not one."""
    if token.wrong is not None and not token.wrong.repair:
        return 0
    if run := RUN_ON.match(text, token.start):
        return run.end()
    follows = text[token.end : token.end + 1]
    if follows and follows in "\"'":
        line_end = end_of_line(text, token.end + 1)
        return token.end + 1 if follows not in text[token.end + 1 : min(line_end, token.end + _LONG)] else 0
    if token.wrong is not None:
        after = next_token(text, token.wrong.end)
        is_field = after.kind == SYMBOL and text[after.start] in ":{<"
        return 0 if is_field else end_of_word(text, token.end)
    if follows and (follows in "/\\=-." or (follows == ":" and token.kind in NUMBERS) or _is_drive(text, token.end)):
        return end_of_word(text, token.end)
    if follows and follows in _IN_A_PATH and "/" in text[token.end : end_of_word(text, token.end)]:
        return end_of_word(text, token.end)
    return 0


def end_of_prose(text: str, start: int, last: Field | None) -> int:
    """Where words end that fill a line, or its rest after a text in quotes, the value of the `last` field; else 0.

    After a text, words may be more than letters: `source: "a.txt" the images of list2.txt`.
    """
    is_remark = last is not None and last.kind == STRING and text.find("\n", last.end, start) < 0
    found = _REMARK.match(text, start) if is_remark else _PROSE.match(text, start)
    return found.end() if found else 0


def ends_line(text: str, end: int) -> bool:
    """Whether no more words, as of a path with spaces in it, follow a text on its line."""
    follows = next_token(text, end)
    if follows.kind == END or "\n" in text[end : follows.start]:
        return True
    if follows.kind == SYMBOL:
        return text[follows.start] in ";,}]>)"
    return follows.kind == IDENTIFIER and starts_field(text, follows)


def end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def end_of_word(text: str, position: int) -> int:
    found = _WORD_REST.match(text, position)
    return found.end() if found else position


def short(text: str) -> str:
    """A piece of the text for a message: on one line, of 40 characters at most."""
    text = " ".join(text[:_LONG].split())
    return text if len(text) <= 40 else text[:37] + "..."


def last_of(text: str) -> str:
    """A string for a message; of one longer than 40 characters, what it ends in."""
    text = " ".join(text[-_LONG:].split())
    return text if len(text) <= 40 else f"ending in {text[-40:].rpartition('/')[2] or text[-40:]}"


def has_opened(text: str, char: str, start: int, end: int) -> bool:
    """Whether a bracket that closes has one before it that opens, which was not read as one."""
    opening = {")": "(", "]": "["}.get(char, "")
    start = max(start + 1, end - _LONG)
    found = text.rfind(opening, start, end) if opening else -1
    line = text[text.rfind("\n", start, found) + 1 : found] if found > text.rfind(char, start, end) else "#"
    return "#" not in line and line.count('"') % 2 == 0
