"""Which scripts of a project may speak of a file in a folder: asked of each solver and net, answered from an index."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from caffelint.project.scripts import Script, bare
from caffelint.text.patterns import compiled_later

_Said = TypeVar("_Said")
_BEGINS = compiled_later(r"(?:\A|[^\w./-])(?:\./)?\Z")
"""Before a path, but for what is a path as well."""


class About:
    """The scripts that name files of one name, by what they say of the folders of these. scripts: of the project."""

    def __init__(self, scripts: Sequence[Script], name: str, folders: Collection[str]) -> None:
        self._scripts = [script for script in scripts if name in script.text]
        self._folders = frozenset(folders)
        self._by_folder: dict[str, list[int]] = {}
        self._by_end: dict[str, list[int]] = {}
        ends: dict[int, set[str]] = {}
        for folder in self._folders:
            end = bare(folder)
            ends.setdefault(len(end), set()).add(end)
        for number, script in enumerate(self._scripts):
            for folder in {script.folder, *script.nearest_of(name, self._folders)}:
                self._by_folder.setdefault(folder, []).append(number)
            for end in {*_ends_before(script.text, f"/{name}", ends)}:
                self._by_end.setdefault(end, []).append(number)

    def of(self, folder: str) -> Sequence[Script]:
        """All that may be about the file in this folder (`Script.is_about`), and few others."""
        if folder not in self._folders:
            return self._scripts
        by_end = self._by_end.get(bare(folder), ())
        return [self._scripts[one] for one in sorted({*self._by_folder.get(folder, ()), *by_end})]


def _ends_before(text: str, name: str, ends: Mapping[int, Collection[str]]) -> Iterator[str]:
    """Of some ends of folders, by their lengths, those that come just before a name in a text."""
    at = text.find(name)
    while at >= 0:
        for length, known in ends.items():
            if length <= at and (end := text[at - length : at]) in known:
                yield end
        at = text.find(name, at + 1)


class Paths(Generic[_Said]):
    """What scripts say of solvers by paths, looked up by the solver. said: each path, the script's folder, and what."""

    def __init__(self, said: Iterable[tuple[str, str, _Said]]) -> None:
        self._said: list[_Said] = []
        self._by_path: dict[str, dict[str, list[int]]] = {}
        for number, (path, folder, what) in enumerate(said):
            self._said.append(what)
            self._by_path.setdefault(os.path.normpath(path), {}).setdefault(folder, []).append(number)
        self._folders = {path: sorted(by_folder) for path, by_folder in self._by_path.items()}

    def of(self, folder: str, name: str) -> Iterator[_Said]:
        """What is said in or below a folder from which the path may lead to that file; in the order in which it came.

        From elsewhere `home_of` takes no path for one of it.
        """
        found: list[int] = []
        parts = os.path.join(folder, name).split(os.sep)
        for count in range(1, len(parts)):  # each end of the path
            path = os.sep.join(parts[-count:])
            if path in self._by_path:
                for below in self._below(path, os.sep.join(parts[:-count])):
                    found += self._by_path[path][below]
        return (self._said[one] for one in sorted(found))

    def _below(self, path: str, home: str) -> Iterator[str]:
        """The folders in or below another one in which a path is said."""
        folders, start = self._folders[path], home + os.sep
        if home in self._by_path[path]:
            yield home
        if os.sep in path:  # a name by itself is that of a file beside the script
            for at in range(bisect_left(folders, start), len(folders)):
                if not folders[at].startswith(start):
                    return
                yield folders[at]


def writers(scripts: Iterable[Script], name: str, there: Collection[str] = ()) -> Sequence[Script]:
    """Those that may write a file of a name (`Script.writes`), in one folder or another; of each Caffe the first.

    there: the folders that have a file of that name.
    """
    found: dict[object, Script] = {}
    for script in scripts:
        if script.may_write(name, there):
            found.setdefault(script if script.is_shipped else script.home, script)
    return [*found.values()]


class Launching:
    """The scripts that name solvers of one name, by the paths by which they run them. scripts: of the project."""

    def __init__(self, scripts: Sequence[Script], name: str) -> None:
        about = [script for script in scripts if name in script.text]
        self.is_unclear = any(one.moves or one.path.endswith(".ipynb") for one in about)
        about = [] if self.is_unclear else about
        self._about = about
        self._makers: dict[str, Sequence[Script] | None] = {}
        self.writers = writers(about, name)
        self.beside: dict[str, list[Script]] = {}
        for script in about:
            self.beside.setdefault(script.folder, []).append(script)
        self.paths = Paths(
            (path, script.folder, script) for script in about for path in script.launched_names.get(name, ())
        )

    def may_make(self, net: str, folder: str) -> bool:
        """May one of them write a net: does it so in the solver's folder, or speak of it as it is named in the solver?

        What hangs on no folder is found out once for all solvers of that name which name such a net.
        """
        if net not in self._makers:
            speaking = [script for script in self._about if net in script.text]
            is_named = any(_BEGINS.search(before[-3:]) for one in speaking for before in one.text.split(net)[:-1])
            self._makers[net] = None if is_named else [one for one in speaking if one.may_write(bare(net))]
        makers = self._makers[net]
        return makers is None or any(script.writes(net, folder) for script in makers)
