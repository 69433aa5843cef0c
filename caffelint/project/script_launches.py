"""By which paths a script opens solvers, where its text shows that as well as that it stays in one directory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_MOVES = compiled_later(r"\bcd\b|\bpushd\b|\bchdir\b|\bcwd\b|\bWORKDIR\b|\bmake[^\n]{1,40} -C\b|\bdocker\b|\bssh\b")
_BUILDS = compiled_later(
    r"^[^\n#%]{0,200}\b(?:\w{1,20}Solver|get_solver)\([ \t]{0,9}"
    r"(?:(?P<quote>['\"])(?P<path>(?:\./)?[\w+-][\w./+-]{0,200}\.prototxt)(?P=quote)"
    r"|(?P<name>[A-Za-z_]\w{0,60}))[ \t]{0,9}[,)]",
    re.MULTILINE | re.ASCII,
)
_TRAINS = compiled_later(
    r"^[^\n#]{0,200}\bcaffe(?:\.bin|\.exe)?[\"']?[ \t]{1,9}train\b(?:[^\n\\;&|#]|\\\n){0,300}?"
    r"(?:(?<=\\\n)|[ \t])--?solver[= \t]{1,9}"
    r"(?P<quote>['\"]?)(?P<path>(?:\./)?[\w+-][\w./+-]{0,200}\.prototxt)(?P=quote)"
    r"(?=[ \t\r\n;&|\\]|\Z)",
    re.MULTILINE | re.ASCII,
)
_SET = compiled_later(r"^[ \t]{0,40}(?P<name>[A-Za-z_]\w{0,60})[ \t]{0,9}=(?!=)(?P<value>[^\n]{0,300})", re.MULTILINE)
_LITERAL = compiled_later(
    r"[ \t]*(?P<quote>['\"])(?P<path>(?:\./)?[\w+-][\w./+-]{0,200}\.prototxt)(?P=quote)[ \t]*;?[ \t]*(?:#[^\n]*)?\r?",
    re.ASCII,
)


class Launch(NamedTuple):
    """That a script runs a solver: the relative path that it gives, and where in the text."""

    path: str
    start: int


def moves(text: str) -> bool:
    """Does a script go to another directory, or start something in one?"""
    return _MOVES.search(text) is not None


def launches(text: str) -> Iterator[Launch]:
    """Each solver that a script runs by a relative path, which it has literally or in a name that is set once."""
    if "olver" not in text:
        return
    for found in _TRAINS.finditer(text):
        yield Launch(found["path"], found.start("path"))
    constants: dict[str, str | None] | None = None
    for found in _BUILDS.finditer(text):
        path = found["path"]
        if found["name"]:
            constants = _constants(text) if constants is None else constants
            path = constants.get(found["name"])
        if path:
            yield Launch(path, found.start("path") if found["path"] else found.start("name"))


def _constants(text: str) -> dict[str, str | None]:
    """The paths that names stand for; None for a name that is set to anything else, or twice."""
    values: dict[str, str | None] = {}
    for found in _SET.finditer(text):
        literal = _LITERAL.fullmatch(found["value"])
        values[found["name"]] = literal["path"] if literal and found["name"] not in values else None
    return values
