"""Which prototxt files a script opens, where it has their paths as literals."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.text.patterns import compiled_later

_OPENS = compiled_later(
    r"(?:\b(?:Net|Classifier|Detector|\w{0,20}Solver|get_solver)\([ \t]{0,9}['\"]"
    r"|(?<![\w-])--?(?:solver|model)[= \t][ \t]{0,9}['\"]?)"
    r"(?P<path>[^\s'\"$(){}%*?<>|;&,\\]{1,200}\.prototxt)(?=['\" \t\r\n\\]|\Z)"
)


def opens(text: str) -> Iterator[tuple[str, int]]:
    """The path of each, and where it stands in the text."""
    return ((found["path"], found.start("path")) for found in _OPENS.finditer(text))
