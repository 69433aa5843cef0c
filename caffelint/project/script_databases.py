"""Which databases a script opens or makes, and of which kind, where its text has their paths."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caffelint.project.script_trainings import constants, filled
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_OPENS = compiled_later(
    r"\b(?P<call>lmdb\.open|lmdb\.Environment|plyvel\.DB|leveldb\.LevelDB)\([ \t]{0,9}"
    r"(?:(?P<quote>['\"])(?P<path>[^\s'\"]{1,300})(?P=quote)|(?P<name>[A-Za-z_]\w{0,60}))[ \t]{0,9}"
    r"(?:\)|,(?P<options>(?:[^()]|\([^()]{0,100}\)){0,300}))",
    re.ASCII,
)
_ANY = compiled_later(r"\b(?:lmdb\.open|lmdb\.Environment|plyvel\.DB|leveldb\.LevelDB)\(", re.ASCII)
_NEW = compiled_later(r"\b(?:map_size\b|(?:create_if_missing|error_if_exists)[ \t]{0,9}=[ \t]{0,9}True\b)", re.ASCII)
_READS = compiled_later(
    r"\breadonly[ \t]{0,9}=[ \t]{0,9}True\b|\bcreate_if_missing[ \t]{0,9}=[ \t]{0,9}False\b", re.ASCII
)
_PUTS = (".put(", ".Put(", ".putmulti(", ".write_batch(", ".Write(")
_SETS = compiled_later(
    r"\bdef[ \t]{1,9}\w{1,60}\((?P<arguments>[^)]{0,500})|\bfor[ \t]{1,9}(?P<each>[\w, \t]{1,100}?)[ \t]in\b", re.ASCII
)
_NAMES = compiled_later(r"[A-Za-z_]\w{0,60}", re.ASCII)
_CONVERTS = compiled_later(
    r"\bconvert_\w{1,40}(?:\.bin|\.exe)?[\"']?(?P<rest>[ \t](?:[^\n\\;&|#>]|\\\r?\n){0,2000})", re.ASCII
)
_BACKEND = compiled_later(r"(?<![\w-])--?backend[= \t][ \t]{0,9}['\"]?(?P<kind>[^\s'\"]{1,60})['\"]?", re.ASCII)
_WORDS = compiled_later(r"(?<!\S)['\"]?(?P<word>[^\s'\"\\-][^\s'\"\\]{0,300})['\"]?(?!\S)", re.ASCII)
_KINDS = ("LMDB", "LEVELDB")
_CALLS = ("lmdb.", "plyvel.", "leveldb.", "backend")


class Made(NamedTuple):
    """kind: LMDB or LEVELDB. path: as the script has it. start: in the text. is_new: is it made, or only opened?"""

    kind: str
    path: str
    start: int
    is_new: bool


def databases(text: str) -> Iterator[Made]:
    """Those that Python opens or makes, and those that a tool of Caffe makes which is told the kind."""
    if not any(call in text for call in _CALLS):
        return
    others = {
        name for found in _SETS.finditer(text) for name in _NAMES.findall(found["arguments"] or found["each"] or "")
    }
    values = {name: value for name, value in constants(text).items() if name not in others}
    # Of several, one may be read and another one written.
    puts = any(call in text for call in _PUTS) and len(_ANY.findall(text)) == 1
    for found in _OPENS.finditer(text):
        if path := found["path"] or values.get(found["name"], ""):
            options = found["options"] or ""
            is_new = not _READS.search(options) and bool(puts or _NEW.search(options))
            yield Made("LMDB" if found["call"].startswith("lmdb") else "LEVELDB", path, found.start(), is_new)
    for found in _CONVERTS.finditer(text):
        said = _BACKEND.search(found["rest"])
        kind = filled(said["kind"], values).upper() if said else ""
        if said and kind in _KINDS:
            words = [one["word"] for one in _WORDS.finditer(found["rest"].replace(said[0], " "))]
            if words and words[-1].isdigit() and text[found.end() : found.end() + 1] == ">":
                words.pop()  # of 2>&1
            # Images or their list, labels or their list, and what is made of them.
            if len(words) > 1 and (path := filled(words[-1], values)):
                yield Made(kind, path, found.start(), True)
