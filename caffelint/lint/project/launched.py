"""Whether the directory in which a script runs a solver is the one from which that names its net."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from caffelint.lint.discover import NamedNet
from caffelint.lint.disk import exists
from caffelint.lint.project.about import Launching
from caffelint.lint.reach import is_below
from caffelint.project.mentions import Astray, Launched, Words
from caffelint.project.scripts import Script


def launched(scripts: Sequence[Script], top: str, solver: str) -> tuple[Launched, ...]:
    """Where scripts run a solver, each by a path and in a directory that its text shows: `launched_of` says more."""
    return launched_of(Launching(scripts, os.path.basename(solver)), top, solver)


def launched_of(launching: Launching, top: str, solver: str) -> tuple[Launched, ...]:
    """Where scripts run a solver, each by a path and in a directory that its text shows.

    Nothing where any script that names the solver leaves room for doubt: one that changes the directory, that stands
    beside the solver, or that may write it.
    """
    folder, name = os.path.split(os.path.abspath(solver))
    if launching.is_unclear or any(one.writes(name, folder) for one in launching.writers):
        return ()
    running = dict.fromkeys(launching.paths.of(folder, name))
    parts = os.path.join(folder, name).split(os.sep)
    ends = {os.sep.join(parts[-count:]): count for count in range(1, len(parts))}
    homes = homes_of(folder, name)
    by_script = {script: _launched_from(script, top, ends, homes) for script in running}
    if not all(by_script.get(one) for one in launching.beside.get(folder, ())):
        return ()
    return tuple(launch for launches in by_script.values() for launch in launches)


def words(scripts: Iterable[Script], name: str) -> tuple[Words, ...]:
    """All that each script which names a solver says by itself, or as the end of a path: what it may make, too."""
    return tuple(script.words for script in scripts if name in script.text)


def astray(
    launching: Launching, solver: str, nets: Sequence[NamedNet], launches: Sequence[Launched]
) -> tuple[Astray, ...]:
    """The nets that Caffe does not find where scripts run their solver, though each is there for another directory."""
    folder = os.path.dirname(os.path.abspath(solver))
    found = [net for net in nets if net.path and not net.beside and not os.path.isabs(net.name)] if launches else []
    result: list[Astray] = []
    for net in found:
        if not net.path or launching.may_make(net.name, folder):
            continue
        if not any(exists(os.path.join(one.home, net.name)) for one in launches):
            home, path, place = launches[0]
            there = os.path.relpath(os.path.abspath(net.path), home).replace(os.sep, "/")
            if not there.startswith("../"):
                result.append(Astray(net.field, net.position, net.name, there, path, place))
    return tuple(result)


def _launched_from(
    script: Script, top: str, ends: Mapping[str, int], home_of: Callable[[str, str], str | None]
) -> list[Launched]:
    """Where a script runs a solver: in a folder of the project, in or above its own, from which the path is that of the
    solver, and of no other one in a folder between. A name without a folder is that of a solver beside the script.

    ends: those of the solver's path, with the number of their parts. home_of: what `home_of` says of the solver.
    """
    found: list[Launched] = []
    for end in sorted(ends.keys() & script.launched_as.keys(), key=ends.__getitem__):
        first: dict[str, int] = {}
        for path, start in script.launched_as[end]:
            first.setdefault(path, start)
        for path, start in first.items():
            home = home_of(script.folder, path)
            if home is not None and is_below(home, top):
                found.append(Launched(home, path, script.mention(start)))
    return found


def homes_of(folder: str, name: str) -> Callable[[str, str], str | None]:
    """`home_of` for the solver of a name in a folder: each folder of scripts and path is asked once."""
    return cache(lambda script, path: home_of(script, path, folder, name))


def home_of(script: str, path: str, folder: str, name: str) -> str | None:
    """The directory in which a script in a folder runs the solver of a name in another by a path; None where that path
    is of another solver.
    """
    plain, solver = os.path.normpath(path), os.path.join(folder, name)
    if not solver.endswith(os.sep + plain) or (os.sep not in plain and script != folder):
        return None
    home = solver[: -len(plain) - 1]
    between = script
    while between != home and is_below(between, home) and not exists(os.path.join(between, plain)):
        between = os.path.dirname(between)
    return home if between == home else None
