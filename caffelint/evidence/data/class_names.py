"""Names of classes: in a text beside a data set or a net that has a line for each class, and in names of records."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from caffelint.caffe.states import TRAIN
from caffelint.evidence.data.sources import Feed
from caffelint.evidence.data.values import LABEL
from caffelint.lint.reach import is_special

_MOST_FILES, _MOST_READ = 2_000, 50
_LARGEST = 1 << 16
_MOST_CLASSES = 5_000
_SUFFIXES = (".txt", ".names", ".csv", ".list")
_SIDE = re.compile(r"(?<![a-z])left(?![a-z])")
_OF_FILES = re.compile(r"[/\\]|\w\.[A-Za-z]\w{1,4}\b")
"""A folder, or a file with its suffix."""
_NO_WORDS = re.compile(r"[^a-z]+")

Names = Mapping[int, Sequence[str]]
"""By the number of classes, the lines of each text that has so many."""


def class_names_of(found: Sequence[Feed]) -> Mapping[tuple[str, str], Names]:
    """By the paths of a net that mirrors what it trains on and of the source: the lines of texts beside both."""
    names: dict[tuple[str, str], dict[int, Sequence[str]]] = {}
    known: dict[str, list[list[str]]] = {}
    for feed in found:
        if TRAIN in feed.phases and feed.source is not None and feed.made.message.transform_param.mirror:
            counts = {int(one.expected.high) + 1 for one in feed.readers(LABEL) if one.expected.whole}
            paths = feed.net.path, feed.source.path
            folders = dict.fromkeys(os.path.dirname(os.path.abspath(path)) for path in paths)
            known.update((folder, _texts(folder)) for folder in folders if folder not in known)
            lines = [text for folder in folders for text in known[folder]]
            names.setdefault(paths, {}).update(
                (count, [one for text in lines if len(text) == count for one in text]) for count in counts
            )
    return names


def are_apart(names: Sequence[str]) -> bool:
    """Has each record a name of other words, as those of classes that have a folder each?

    Where two have the same, what the words say is not the class: a camera's side, maybe.
    """
    return len({_words(name) for name in names}) == len(names)


def sides_of(names: Iterable[str]) -> tuple[str, str]:
    """Two of these names that are the same but for left and right; two empty ones if there are none.

    Digits and signs do not count.
    """
    by_words = {_words(name): name for name in names}
    for words, name in by_words.items():
        other = by_words.get(_SIDE.sub("right", words))
        if other is not None and other != name:
            return name, other
    return "", ""


def _words(name: str) -> str:
    return _NO_WORDS.sub(" ", name.lower()).strip()


def class_lines(text: str) -> list[str]:
    """The lines of a text that may name a class each; none of a list of files."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [] if any(_OF_FILES.search(line) for line in lines) else lines


def _texts(folder: str) -> list[list[str]]:
    """Of small texts in a folder the lines that may name classes."""
    try:
        with os.scandir(folder) as entries:
            there = sorted(islice(entries, _MOST_FILES), key=lambda entry: entry.name)
    except OSError:
        return []
    found = []
    for entry in islice((one for one in there if one.name.endswith(_SUFFIXES)), _MOST_READ):
        try:
            if is_special(entry.path) or not entry.is_file() or entry.stat().st_size > _LARGEST:
                continue
            with open(entry.path, encoding="utf-8", errors="replace") as file:
                lines = class_lines(file.read(_LARGEST))
        except OSError:
            continue
        if 1 < len(lines) <= _MOST_CLASSES:
            found.append(lines)
    return found
