"""Which Caffe reads a project: what one net shows about that holds for its neighbours, too."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from caffelint.lint.discover import discover, matches_glob, relative
from caffelint.lint.reach import SUFFIXES
from caffelint.lint.read import ReadError, read
from caffelint.schema.bind import bind
from caffelint.schema.detect import NET, detect
from caffelint.schema.messages import NetParameter
from caffelint.schema.provenance import provenance
from caffelint.schema.readers import readers
from caffelint.text.parser import parse

_CURRENT = 2
_BVLC = ("bvlc", "bvlc_history")
_MOST_FOLDERS = 200
_MOST_FILES = 200
_MOST_BYTES = 2 << 20
"""Of a project, in addition to the files that were named: reading so many takes about a second."""


class Readers(NamedTuple):
    """The forks that may read a file, empty if unknown; `by`: the neighbour that shows it, if it is not the file."""

    forks: frozenset[str]
    by: str = ""

    def leave(self, why: str) -> str:
        """Why a file is left alone; `why` names the Caffes, and what they lack."""
        if not self.by:
            return f"made for {why}"
        return f'its project is for {why} (see "{self.by}"); give --dialect bvlc to upgrade anyway'


class Neighbours:
    """The nets of the projects that the files of a run lie in, whichever of them were named.

    They are read when first asked about, and not again when they have changed. Files that match `exclude` (globs from
    `folder`, as in `caffelint.lint.discover`) count only if they were named.
    """

    def __init__(self, paths: Iterable[str], exclude: Sequence[str] = (), folder: str = ""):
        self._paths = list(paths)
        self._exclude, self._folder = exclude, folder

    def readers(self, path: str, own: frozenset[str]) -> Readers:
        """Those of the forks that can read a file itself (`own`, empty for any) that read its neighbours as well.

        Neighbours are the nets of its folder, then those below the folder above, and so on up to the root of the
        checkout, as long as one Caffe reads them all.
        """
        forks, by = own, ""
        for folder in _above(path):
            if folder not in self._shared:
                continue
            shared = self._shared[folder]
            common = forks & shared if forks else shared
            if not common:
                break
            if common != forks:
                forks, by = common, self._tellers[folder]
        return Readers(forks, by)

    @cached_property
    def _said(self) -> dict[str, frozenset[str]]:
        """The forks that can read a net, of the nets that show anything about that."""
        found = {path: _readers_of(path) for path in self._all()}
        return {path: said for path, said in found.items() if said}

    def _all(self) -> list[str]:
        """The files of the run, then others in their folders, then the rest of the project from its root; not all."""
        folders = {os.path.dirname(os.path.abspath(path)) for path in self._paths}
        found: dict[str, None] = {}
        for root in sorted({_root(path) for path in self._paths}):
            found.update(dict.fromkeys(_files_below(root)))
        for path in self._paths:
            found.pop(os.path.abspath(path), None)
        others = [path for path in found if not matches_glob(path, self._exclude, self._folder)]
        others.sort(key=lambda path: (os.path.dirname(path) not in folders, path.count(os.sep), path))
        return self._paths + [relative(path) for path in _affordable(others[:_MOST_FILES])]

    @cached_property
    def _shared(self) -> dict[str, frozenset[str]]:
        """The forks that read all nets below a folder; empty if no fork reads them all."""
        found: dict[str, frozenset[str]] = {}
        for path, said in self._said.items():
            for folder in _above(path):
                found[folder] = found.get(folder, said) & said
        return found

    @cached_property
    def _tellers(self) -> dict[str, str]:
        """The net below a folder that the fewest forks read."""
        found: dict[str, str] = {}
        for path in sorted(self._said, key=lambda path: len(self._said[path])):
            for folder in _above(path):
                found.setdefault(folder, path)
        return found


def _readers_of(path: str) -> frozenset[str]:
    """The forks that know everything in a net, and its format; empty for any fork, or if there is none."""
    try:
        document = parse(read(path), path)
    except ReadError:
        return frozenset()
    if detect(document).kind != NET:
        return frozenset()
    known = provenance()
    own = readers(bind(document, NetParameter()))
    if all(known.family(fork) in _BVLC for fork in own):
        own = frozenset()  # an upgrade leads from its older versions to the newer ones
    if not document.root.all("layer"):
        return own
    return frozenset(fork for fork in own or known.forks if known.generation(fork) == _CURRENT)


def _affordable(paths: Iterable[str]) -> Iterator[str]:
    """Those of the paths that together are not too large; one that is too large for what is left is passed over."""
    left = _MOST_BYTES
    for path in paths:
        try:
            size = os.path.getsize(path)
        except OSError:
            continue
        if size <= left:
            left -= size
            yield path


def _above(path: str) -> Iterator[str]:
    """The folders that contain a file, the nearest first, up to the root of its checkout."""
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = above


def _root(path: str) -> str:
    """Where a file's project begins: at its checkout, else at the working directory if it lies below, or its folder."""
    *_, top = above = list(_above(path))
    if os.path.exists(os.path.join(top, ".git")):
        return top
    here = os.getcwd()
    return here if here in above else above[0]


def _files_below(root: str) -> Iterator[str]:
    """The prototxt files of a checkout, or of the first folders below another one, the nearest to it first."""
    if os.path.exists(os.path.join(root, ".git")):
        yield from discover([root]).files
        return
    folders = [root]
    for folder in folders:  # grows on the way
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.endswith(SUFFIXES) and os.path.isfile(entry.path):
                yield entry.path
            elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                folders += [entry.path] * (len(folders) < _MOST_FOLDERS)
