"""Which files the globs of a grid match: as `glob` finds them, but each folder once, and only so many names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from fnmatch import translate

MOST = 200_000
"""Names that are looked at for all globs of a grid together: some seconds."""
_LONG = 100
"""Characters of a path for each of which to look it up counts as another name."""
_WILDCARDS = frozenset("*?[")


class TooMany(Exception):
    """There are more names than are looked at."""


def is_glob(path: str) -> bool:
    return not _WILDCARDS.isdisjoint(path)


class Paths:
    """All that globs match, in order. Behind `**` nothing is that is a link: links may lead in circles, and out."""

    def __init__(self) -> None:
        self._left = MOST

    def matching(self, pattern: str, folder: str) -> list[str]:
        """Those of a glob that is relative to a folder. Raises `TooMany`."""
        drive, rest = os.path.splitdrive(pattern)
        parts = rest.replace(os.sep, "/").split("/")
        found = {os.path.join(folder, drive + os.sep if rest[:1] in ("/", os.sep) else drive): None}
        for at, part in enumerate(parts):
            last = at == len(parts) - 1
            if part not in ("", ".") and (part != "**" or last or parts[at + 1] != "**"):
                step = self._below if part == "**" else self._named(part, last)
                links = "**" not in parts[:at]
                found = {path: None for base in found for path in step(base) if links or not os.path.islink(path)}
        return sorted(found)

    def _below(self, folder: str) -> Iterator[str]:
        """A folder, and all that is in it, at any depth, without links."""
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            if path == folder or not os.path.islink(path):
                yield path
                waiting += self._names(path)

    def _named(self, part: str, last: bool) -> Callable[[str], Iterator[str]]:
        if not is_glob(part):
            return lambda folder: iter([path] if self._is_there(path := os.path.join(folder, part)) else [])
        matches = re.compile(translate(part)).match
        hidden = part.startswith(".")
        names = self._names

        def step(folder: str) -> Iterator[str]:
            for path in names(folder, hidden):
                if matches(os.path.basename(path)) and (last or os.path.isdir(path)):
                    yield path

        return step

    def _is_there(self, path: str) -> bool:
        self._look(1 + len(path) // _LONG)
        return os.path.lexists(path)

    def _look(self, names: int) -> None:
        self._left -= names
        if self._left < 0:
            raise TooMany

    def _names(self, folder: str, hidden: bool = False) -> Iterator[str]:
        """The paths of all that is in a folder; nothing where it is none, or cannot be read."""
        try:
            with os.scandir(folder or os.curdir) as entries:
                for entry in entries:
                    self._look(1)
                    if hidden or not entry.name.startswith("."):
                        yield os.path.join(folder, entry.name)
        except OSError:
            return
