"""From which list of images a shell script makes a data base: `convert_imageset [FLAGS] ROOT LIST DB`."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_COMMAND = compiled_later(r"\bconvert_imageset(?:\.bin|\.exe)?[\"']?[ \t]((?:[^\n\\;&|#<>]|\\\r?\n|\\[^\n]){0,2000})")
_ARGUMENTS = 3
"""At the end; what is before them are flags."""


class Conversion(NamedTuple):
    """root, list, base: the paths as the script has them. start: where the command is in the text."""

    root: str
    list: str
    base: str
    start: int


def conversions(text: str) -> Iterator[Conversion]:
    """Each one whose paths the text has but for the folders, which may be variables."""
    if "convert_imageset" not in text:
        return
    for found in _COMMAND.finditer(text):
        words = [word.strip("\"'") for word in found[1].replace("\\\n", " ").replace("\\\r\n", " ").split()]
        if words and words[-1].isdigit():  # of 2>&1
            words.pop()
        *_, root, list_, base = words if len(words) >= _ARGUMENTS else ("", "", "")
        base = base.rstrip("/")
        if list_ and base and not any("$" in bare(one) or bare(one).startswith("-") for one in (list_, base)):
            yield Conversion(root, list_, base, found.start())


def bare(path: str) -> str:
    return path.rpartition("/")[2]
