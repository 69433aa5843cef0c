"""Finds the Caffe in a repository: the folder whose `src/caffe/proto/caffe.proto` is nearest to a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property

from caffelint.lint.reach import Reach
from caffelint.lint.read import ReadError, read
from caffelint.text.patterns import compiled_later

_NAME = "caffe.proto"
PROTO = os.path.join("src", "caffe", "proto", _NAME)
_DEEPEST = 2
"""Folders below one that the search looks into: `caffe`, `external/caffe`."""
_DEEPEST_LOOSE = 4
"""Where no Caffe is, for the schema of a program like it: `src/name/proto/name.proto`."""
_MOST_ENTRIES = 5_000
"""Of all folders that a search lists in one repository."""
_LARGEST = 1 << 20
_MOST_PROTOS = 20
"""Files of other names than caffe.proto that are read."""
_NEVER = frozenset(["node_modules", "__pycache__", "build", "data"])
_OF_OTHERS = compiled_later(
    r"3rd_?party|third_?party|extern(?:al)?s?|vendor(?:ed)?|deps|tools|convert\w*", re.IGNORECASE
)
"""Folders of what a project only takes along: its own files are not for that."""


class Repository:
    """A repository in which Caffes are looked for; nothing outside of it is.

    `top` is its folder. What was listed is remembered.
    """

    def __init__(self, top: str) -> None:
        self.top = top
        self.reach = Reach(top)
        self.entries = 0
        self._folders: dict[str, list[str]] = {}
        self._protos: dict[str, list[str]] = {}
        self._found: dict[str, tuple[str, ...]] = {}

    def caffes(self, folder: str) -> tuple[str, ...]:
        """The Caffes that are nearest to a folder: those in it or below it, else those of the next folder above.

        Several if they are equally near; none if there is none.
        """
        passed = []
        while folder not in self._found:
            if (found := self._below(folder)) or folder == self.top:
                self._found[folder] = found
            else:
                passed.append(folder)
                folder = os.path.dirname(folder)
        self._found.update(dict.fromkeys(passed, self._found[folder]))
        return self._found[folder]

    @cached_property
    def loose(self) -> tuple[str, ...]:
        """The files caffe.proto near the top that are in no Caffe: people are to put one into a copy of Caffe.

        Where there is none, those of other names that declare solvers and nets, and only then those farther from it.
        """
        found: list[str] = []
        others: list[str] = []
        level = [self.top]
        for depth in range(_DEEPEST_LOOSE + 1):
            if depth > _DEEPEST:
                if near := tuple(filter(self.reach.holds, found)) or self._declaring(others):
                    return near
                level = [folder for folder in level if not self._is_of_others(folder)]
            below = [inner for above in level for inner in self._list(above)]
            own = [folder for folder in level if not self._has_several(folder)]
            found += [path for folder in own if os.path.isfile(path := os.path.join(folder, _NAME))]
            others += [path for folder in own for path in self._protos.get(folder, ())]
            level = below
        return tuple(filter(self.reach.holds, found)) or self._declaring(others)

    def _has_several(self, folder: str) -> bool:
        """Are schemas of several Caffes in a folder, as a converter has that reads the nets of each?"""
        return sum("caffe" in os.path.basename(path) for path in self._protos.get(folder, ())) > 1

    def _is_of_others(self, folder: str) -> bool:
        return any(map(_OF_OTHERS.fullmatch, os.path.relpath(folder, self.top).split(os.sep)))

    def _declaring(self, protos: list[str]) -> tuple[str, ...]:
        return tuple(filter(self._declares_nets, protos[:_MOST_PROTOS]))

    def _declares_nets(self, path: str) -> bool:
        try:
            data = read(path, _LARGEST, self.reach)
        except ReadError:
            return False
        return b"message SolverParameter" in data and b"message NetParameter" in data

    def _below(self, folder: str) -> tuple[str, ...]:
        level = [folder]
        for _ in range(_DEEPEST + 1):
            if found := tuple(filter(self._is_caffe, level)):
                return found
            level = [inner for above in level for inner in self._list(above)]
        return ()

    def _is_caffe(self, folder: str) -> bool:
        proto = os.path.join(folder, PROTO)
        return os.path.isfile(proto) and self.reach.holds(proto)

    def _list(self, folder: str) -> list[str]:
        if folder not in self._folders:
            self._folders[folder] = sorted(self._scan(folder))
        return self._folders[folder]

    def _scan(self, folder: str) -> Iterator[str]:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self.entries += 1
                    if self.entries > _MOST_ENTRIES:
                        return
                    if entry.name.endswith(".proto") and entry.is_file(follow_symlinks=False):
                        self._protos.setdefault(folder, []).append(entry.path)
                    if entry.name[0] != "." and entry.name not in _NEVER and entry.is_dir(follow_symlinks=False):
                        yield entry.path
        except OSError:
            return
