"""Solvers of different nets that save their weights in the same files: one was copied, and its prefix was left."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from math import lcm

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.scripts import scripts_below, solvers_in
from caffelint.lint.reach import reach_of
from caffelint.lint.read import ReadError, read_found
from caffelint.project.mentions import Sharing
from caffelint.text.parser import parse
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple
from caffelint.text.scalars import string_value
from caffelint.text.tree import STRING, Field

_LARGEST = 1 << 18
_MOST = 1000
"""Solvers of a project that are held against each other."""
_ITERATION = "_iter_"
_NETS = ("net", "train_net")
_GOES = compiled_later(r"\bcd\([ \t]{0,9}[A-Za-z_]|\bchdir\([ \t]{0,9}[A-Za-z_]")
"""Where a program goes to a folder that it works out, as one of its own for each training."""
_WORD = compiled_later(r"[a-z]+|\d+")


class _Saving(NamedTuple):
    """solver, net, prefix: paths. interval, last: iterations at which it saves.

    name: the words of both paths. told: those of the prefix. is_bare: the prefix has no folder.
    """

    solver: str
    net: str
    prefix: str
    interval: int
    last: int
    name: frozenset[str]
    told: frozenset[str]
    is_bare: bool

    @property
    def fits(self) -> tuple[int, int]:
        """How well the prefix is this solver's by the words: those of its own that it lacks count least."""
        return len(self.name & self.told), -len(self.name - self.told)


def shared_prefix(top: str, solver: str) -> Sharing | None:
    """A solver of another net whose weights one overwrites, if the prefix is rather that solver's by its words."""
    if (mine := _saving(solver, top)) is None or mine.is_bare and _works_out_folders(top):
        return None
    for other in _by_prefix(top).get(mine.prefix, ()):
        if other.net == mine.net or not (number := _common(mine, other)):
            continue
        if (*other.fits, mine.solver) > (*mine.fits, other.solver):
            return Sharing(os.path.relpath(other.solver, top), os.path.relpath(other.net, top), number)
    return None


def saved_as(prefix: str, top: str) -> frozenset[str]:
    """The nets of the project whose solvers have a snapshot_prefix of this name, whatever folder it has."""
    every = _by_prefix(top).items() if prefix else ()
    return frozenset(one.net for path, those in every if os.path.basename(path) == prefix for one in those)


@remembered(4)
def _by_prefix(top: str) -> Mapping[str, list[_Saving]]:
    paths = sorted(os.path.join(folder, name) for name, folders in solvers_in(top).items() for folder in folders)
    found: dict[str, list[_Saving]] = {}
    for one in filter(None, (_saving(path, top) for path in paths[:_MOST])):
        found.setdefault(one.prefix, []).append(one)
    return found


@remembered(_MOST)
def _saving(solver: str, top: str) -> _Saving | None:
    """Where a solver saves, if it is run from the only folder above it from which its net is found."""
    try:
        data = read_found(solver, _LARGEST)
    except ReadError:
        return None
    if b"snapshot_prefix" not in data:
        return None
    root = parse(data, solver).root
    net, prefix = next(filter(None, (_text(root, name) for name in _NETS)), ""), _text(root, "snapshot_prefix")
    interval, last = _number(root, "snapshot"), _number(root, "max_iter")
    # A program that saves by itself switches snapshots off.
    if not (net and prefix and interval and last) or os.path.isabs(net) or "\0" in net:
        return None
    reach, homes = reach_of(top), _above(os.path.dirname(solver), top)
    found = [one for one in homes if reach.holds(path := os.path.join(one, net)) and os.path.isfile(path)]
    if len(found) != 1:
        return None
    # Solver::SnapshotFilename appends to the text: "snap/" and "snap" are two.
    whole = os.path.normpath(os.path.join(found[0], prefix + _ITERATION)).removesuffix(_ITERATION)
    net = os.path.realpath(os.path.join(found[0], net))
    name = f"{os.path.relpath(solver, top)} {os.path.relpath(net, top)}"
    return _Saving(solver, net, whole, interval, last, _words(name), _words(prefix), "/" not in prefix)


@remembered(4)
def _works_out_folders(top: str) -> bool:
    return any(_GOES.search(script.text) for script in scripts_below(top, top))


def _common(one: _Saving, other: _Saving) -> int:
    """The first iteration at which both save their weights (Solver::Step and Solve); 0 for none."""
    both, most = lcm(one.interval, other.interval), min(one.last, other.last)
    return both if both <= most else most if one.last == other.last else 0


def _above(folder: str, top: str) -> Iterator[str]:
    while True:
        yield folder
        if folder == top or os.path.dirname(folder) == folder:
            return
        folder = os.path.dirname(folder)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _text(root: Field, name: str) -> str:
    field = root.first(name)
    return string_value(field.text) if field and field.kind == STRING else ""


def _number(root: Field, name: str) -> int:
    field = root.first(name)
    return int(field.text) if field and field.text.isdecimal() and len(field.text) < 12 else 0
