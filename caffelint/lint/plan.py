"""What is checked together: a net with all the solvers that name it, and the solver's other nets with those."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from caffelint.lint.discover import SUFFIXES, NamedNet, named_nets, names_a_net, relative


class Job(NamedTuple):
    """Files that are judged together; plain values, so that another process can do it.

    `report` are the files whose own findings are wanted; `nets` tells which nets each solver names.
    """

    files: tuple[str, ...]
    report: frozenset[str]
    nets: tuple[tuple[str, tuple[NamedNet, ...]], ...]


def plan(
    files: Sequence[str],
    roots: Sequence[str] = (),
    changed: set[str] | None = None,
    texts: Mapping[str, bytes] | None = None,
) -> list[Job]:
    """Group files into jobs. `changed` (absolute paths) leaves those files, and the solvers of changed nets.

    `texts` holds content in place of what is on disk.

    A net that a given solver names is checked even where it was not given; a solver beside a given net is read for
    what the two say together, and its own findings are not reported.
    """
    same: dict[str, str] = {}
    for file in files:
        same.setdefault(os.path.realpath(file), file)
    given = list(same.values())
    nets: dict[str, tuple[NamedNet, ...]] = {}
    report = set(given)
    for file in given:
        data = (texts or {}).get(file)
        if data is not None or names_a_net(file):
            named = named_nets(file, roots, data)
            if named:
                nets[file] = _by_known_names(named, same)
                report.update(_paths(nets[file]))
    solved = {path for named in nets.values() for path in _paths(named)}
    for file in given:
        if file not in solved and file not in nets:
            for solver in _solvers_beside(os.path.dirname(os.path.abspath(file))):
                name = same.setdefault(os.path.realpath(solver), solver)
                if name not in nets:
                    beside = _by_known_names(named_nets(solver, roots), same)
                    if file in _paths(beside):
                        nets[name] = beside
    if changed is not None:
        report = _changed(report, nets, changed)
    return _components(given, nets, report)


def _by_known_names(nets: Iterable[NamedNet], same: dict[str, str]) -> tuple[NamedNet, ...]:
    """The same nets, each file by the name under which it was met first, so that none is read twice."""
    return tuple(
        net._replace(path=same.setdefault(os.path.realpath(net.path), net.path)) if net.path else net for net in nets
    )


def _paths(nets: Iterable[NamedNet]) -> list[str]:
    return [net.path for net in nets if net.path]


def _changed(report: set[str], nets: dict[str, tuple[NamedNet, ...]], changed: set[str]) -> set[str]:
    real = {os.path.realpath(path) for path in changed}
    wanted = {file for file in report if os.path.realpath(file) in real}
    for solver, named in nets.items():
        if any(os.path.realpath(path) in real for path in _paths(named)):
            wanted.add(solver)
    return wanted


@lru_cache(maxsize=4096)
def _solvers_beside(folder: str) -> tuple[str, ...]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return ()
    paths = (os.path.join(folder, name) for name in names if name.endswith(SUFFIXES))
    return tuple(relative(path) for path in paths if os.path.isfile(path) and names_a_net(path))


def _components(given: Iterable[str], nets: dict[str, tuple[NamedNet, ...]], report: set[str]) -> list[Job]:
    parent: dict[str, str] = {}

    def root(file: str) -> str:
        parent.setdefault(file, file)
        while parent[file] != file:
            parent[file] = parent[parent[file]]
            file = parent[file]
        return file

    for file in given:
        root(file)
    for solver, named in nets.items():
        for path in _paths(named):
            parent[root(path)] = root(solver)
    groups: dict[str, list[str]] = {}
    for file in parent:
        groups.setdefault(root(file), []).append(file)
    jobs = []
    for members in groups.values():
        wanted = report.intersection(members)
        if wanted:
            solvers = tuple((file, nets[file]) for file in members if file in nets)
            jobs.append(Job(tuple(members), frozenset(wanted), solvers))
    return jobs
