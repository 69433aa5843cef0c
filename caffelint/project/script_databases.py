"""Which databases a script opens or makes, and of which kind, where its text has their paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.project.script_trainings import constants, filled
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_OPENS = compiled_later(
    r"\b(?P<call>lmdb\.open|lmdb\.Environment|plyvel\.DB|leveldb\.LevelDB)\([ \t]{0,9}"
    r"(?:(?P<quote>['\"])(?P<path>[^\s'\"]{1,300})(?P=quote)|(?P<name>[A-Za-z_]\w{0,60}))[ \t]{0,9}[,)]",
    re.ASCII,
)
_CONVERTS = compiled_later(
    r"\bconvert_\w{1,40}(?:\.bin|\.exe)?[\"']?(?P<rest>[ \t](?:[^\n\\;&|#>]|\\\r?\n){0,2000})", re.ASCII
)
_BACKEND = compiled_later(r"(?<![\w-])--?backend[= \t][ \t]{0,9}['\"]?(?P<kind>[^\s'\"]{1,60})['\"]?", re.ASCII)
_WORDS = compiled_later(r"(?<!\S)['\"]?(?P<word>[^\s'\"\\-][^\s'\"\\]{0,300})['\"]?(?!\S)", re.ASCII)
_KINDS = ("LMDB", "LEVELDB")
_CALLS = ("lmdb.", "plyvel.", "leveldb.", "backend")


class Made(NamedTuple):
    """kind: LMDB or LEVELDB. path: as the script has it. start: in the text."""

    kind: str
    path: str
    start: int


def databases(text: str) -> Iterator[Made]:
    """Those that Python opens, and those that a tool of Caffe makes which is told the kind."""
    if not any(call in text for call in _CALLS):
        return
    values = constants(text)
    for found in _OPENS.finditer(text):
        if path := found["path"] or values.get(found["name"], ""):
            yield Made("LMDB" if found["call"].startswith("lmdb") else "LEVELDB", path, found.start())
    for found in _CONVERTS.finditer(text):
        said = _BACKEND.search(found["rest"])
        kind = filled(said["kind"], values).upper() if said else ""
        if said and kind in _KINDS:
            words = [one["word"] for one in _WORDS.finditer(found["rest"].replace(said[0], " "))]
            # Images or their list, labels or their list, and what is made of them.
            if len(words) > 1 and (path := filled(words[-1], values)):
                yield Made(kind, path, found.start())
