"""What is checked together: a net with all the solvers that name it, and the solver's other nets with those."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from caffelint.lint.discover import SUFFIXES, NetPath, names_a_net, net_paths, relative


class Job(NamedTuple):
    """Files that are judged together; plain values, so that another process can do it.

    `report` are the files whose own findings are wanted; `nets` tells for each solver the nets that it names.
    """

    files: tuple[str, ...]
    report: frozenset[str]
    nets: tuple[tuple[str, tuple[NetPath, ...]], ...]


def plan(files: Sequence[str], roots: Sequence[str] = (), changed: set[str] | None = None) -> list[Job]:
    """Group files into jobs. `changed` (absolute paths) leaves those files, and the solvers of changed nets.

    A net that a given solver names is checked even where it was not given; a solver beside a given net is read for
    what the two say together, and its own findings are not reported.
    """
    same: dict[str, str] = {}
    for file in files:
        same.setdefault(os.path.realpath(file), file)
    given = list(same.values())
    nets: dict[str, tuple[NetPath, ...]] = {}
    report = set(given)
    for file in given:
        if names_a_net(file):
            named = net_paths(file, roots)
            if named:
                nets[file] = tuple(NetPath(field, _known(path, same)) for field, path in named)
                report.update(path for _, path in nets[file])
    solved = {path for named in nets.values() for _, path in named}
    for file in given:
        if file not in solved and file not in nets:
            for solver in _solvers_beside(os.path.dirname(os.path.abspath(file))):
                name = _known(solver, same)
                if name not in nets:
                    named_here = tuple(NetPath(f, _known(p, same)) for f, p in net_paths(solver, roots))
                    if any(path == file for _, path in named_here):
                        nets[name] = named_here
    if changed is not None:
        report = _changed(report, nets, changed)
    return _components(given, nets, report)


def _known(path: str, same: dict[str, str]) -> str:
    """The name under which a file was given, so that no file is read twice."""
    return same.setdefault(os.path.realpath(path), path)


def _changed(report: set[str], nets: dict[str, tuple[NetPath, ...]], changed: set[str]) -> set[str]:
    real = {os.path.realpath(path) for path in changed}
    wanted = {file for file in report if os.path.realpath(file) in real}
    for solver, named in nets.items():
        if any(os.path.realpath(path) in real for _, path in named):
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


def _components(given: Iterable[str], nets: dict[str, tuple[NetPath, ...]], report: set[str]) -> list[Job]:
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
        for _, path in named:
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
