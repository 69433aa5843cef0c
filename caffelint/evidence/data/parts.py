"""Files that were made as parts of a data set, and that the list of the others does not name."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import median
from typing import NamedTuple

from caffelint.evidence.data.scan import Source
from caffelint.evidence.data.sources import Feed
from caffelint.lint.reach import is_special

_MOST_FILES = 10_000
_MOST_LISTS = 100
_LONGEST_LIST = 1 << 20
_LISTS = (".txt", ".list", ".lst")
_ALIKE = 4.0
"""Times the size of the files that are named up to which another one is a part of the same."""
_LAST_NUMBER = re.compile(r"(?<![0-9])(?<!(?<![a-z])[a-z])[0-9]+(?=\D*$)", re.IGNORECASE)
"""One right after a lone letter is a scale or a version: `x2`, `v3`."""


class LeftOut(NamedTuple):
    """named: how many files a list names. others: the names of those beside them that no list names, in order."""

    named: int
    others: tuple[str, ...]


def left_out_of(found: Sequence[Feed]) -> dict[Source, LeftOut]:
    """Of each list of HDF5 files: those in the folder of its files whose names differ from theirs only in the last
    number, about as large, which neither a list of the nets nor one that is beside them names.
    """
    lists = {feed.source: _listed(feed.source) for feed in found if feed.source and feed.source.kind == "hdf5"}
    known = {path for names in lists.values() for path in names}
    left = {}
    for source, paths in lists.items():
        folders = {os.path.dirname(path) for path in paths}
        if len(folders) == 1 and (others := _others(paths, known)):
            names = {name for folder in {*folders, os.path.dirname(source.path)} for name in _named_in(folder, source)}
            if unnamed := tuple(name for name in others if name not in names):
                left[source] = LeftOut(len(paths), unnamed)
    return left


def _listed(source: Source) -> list[str]:
    """The paths that a list names; none where one of them is not there."""
    folder = str(json.loads(source.options).get("folder", ""))
    paths = [os.path.abspath(os.path.join(folder, name)) for name in dict.fromkeys(_words(source.path))]
    return paths if all(map(os.path.isfile, paths)) else []


def _words(path: str) -> list[str]:
    try:
        if is_special(path) or os.path.getsize(path) > _LONGEST_LIST:
            return []
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_LONGEST_LIST)).replace("\0", " ").split()
    except OSError:
        return []


def _others(paths: Sequence[str], known: set[str]) -> list[str]:
    """The names of files beside these that are made alike, and not known.

    Parts are counted: numbers with gaps, or that begin elsewhere than at 0 or 1, are years or sizes.
    """
    forms = {one.form for path in paths if (one := _form(os.path.basename(path)))}
    sizes = [os.path.getsize(path) for path in paths]
    usual = median(sizes) if sizes else 0
    alike: dict[str, list[tuple[int, os.DirEntry[str]]]] = {}
    for entry in _entries(os.path.dirname(paths[0])):
        one = _form(entry.name)
        if one is not None and one.form in forms and entry.is_file():
            if entry.path in paths or usual / _ALIKE <= entry.stat().st_size <= usual * _ALIKE:
                alike.setdefault(one.form, []).append((one.number, entry))
    parts = [found for found in alike.values() if _are_counted([number for number, _ in found])]
    return sorted(entry.name for found in parts for _, entry in found if entry.path not in known)


def _are_counted(numbers: Sequence[int]) -> bool:
    first = min(numbers)
    return first < 2 and sorted(numbers) == list(range(first, first + len(numbers)))


class _Form(NamedTuple):
    """A name without its last number, and that number."""

    form: str
    number: int


def _form(name: str) -> _Form | None:
    stem, suffix = os.path.splitext(name)
    match = _LAST_NUMBER.search(stem)
    return _Form(f"{stem[: match.start()]}#{stem[match.end() :]}{suffix}", int(match[0])) if match else None


def _named_in(folder: str, own: Source) -> Iterator[str]:
    """The names of files that other lists in a folder name."""
    there = (entry for entry in _entries(folder) if entry.name.endswith(_LISTS) and entry.path != own.path)
    for entry in islice(there, _MOST_LISTS):
        yield from map(os.path.basename, _words(entry.path))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(islice(found, _MOST_FILES), key=lambda entry: entry.name)
    except OSError:
        return []
