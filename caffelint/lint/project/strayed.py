"""Solvers that shell scripts run by a path that leads to no file of the project, as of a folder or file renamed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.scripts import folders_with, scripts_below, solvers_in
from caffelint.lint.project.similar import nearest_of
from caffelint.project.mentions import Mention
from caffelint.project.scripts import Script
from caffelint.text.patterns import compiled_later

_SHELLS = (".sh", ".bash")
_FEWEST = 4
"""Parts of a path of which one may be wrong: two other folders and the name say which solver is meant."""
_MOST = 3
"""Paths that are told of one solver."""
_MOST_MISSING = 20
"""Names of solvers that are nowhere, and that no script may write."""
_GOES = compiled_later(r"^[ \t]*cd[ \t][^\n]{0,200}\$", re.MULTILINE)
"""To where a variable says, where the path may lead to a file."""
_FILLS_IN = compiled_later(
    r"[$%{}][^\n'\" ]{0,60}\.prototxt|\+[ \t]?['\"][\w./-]{0,60}\.prototxt|\b(?:unzip|tar|git clone)\b"
)
"""A name that a program completes, or an archive that may hold any."""
_COPIES = compiled_later(r"\b(?:cp|mv|ln|wget|curl|tee|rsync|scp|copy|move)\b")
_MOST_NAMESAKES = 50
"""Solvers of one name that a path is held against."""

Strayed = Mapping[str, tuple[tuple[str, str, Mention], ...]]
"""By the paths of the solvers that are meant, or are in the folder that is: the paths that scripts have, those that
lead to the solver, empty where it is another one of the folder, and where.
"""


@remembered(4)
def strayed_in(top: str) -> Strayed:
    return strayed_of([*scripts_below(top, top)], top, solvers_in(top), lambda name: bool(folders_with(top, name)))


def strayed_of(
    scripts: Sequence[Script],
    top: str,
    solvers: Mapping[str, Collection[str]],
    is_there: Callable[[str], bool],
) -> Strayed:
    """solvers: the folders of those of each name. is_there: does any folder of the project have a file of a name?"""
    found: dict[str, dict[str, tuple[str, str, Mention]]] = {}
    ways = {folder: os.path.relpath(folder, top).split(os.sep) for folders in solvers.values() for folder in folders}
    written: dict[tuple[str, ...], bool] = {}
    missing: dict[str, bool] = {}
    beside: dict[str, list[str]] = {}
    for name, folders in solvers.items():
        for folder in folders:
            beside.setdefault(folder, []).append(name)
    for script in (one for one in scripts if one.path.endswith(_SHELLS) and not one.is_shipped):
        for path, start in script.launches if not _GOES.search(script.text) else ():
            parts = os.path.normpath(path).split(os.sep)
            there = solvers.get(parts[-1], ())
            if not there and not is_there(parts[-1]):
                homes = (os.path.normpath(os.path.join(one, *parts[:-1])) for one in (script.folder, top))
                home = next((one for one in homes if one in beside), None)
                if home is None or len(missing) == _MOST_MISSING and parts[-1] not in missing:
                    continue
                if parts[-1] not in missing:
                    missing[parts[-1]] = not any(_may_bring(one, parts[-1]) for one in scripts)
                if missing[parts[-1]]:
                    solver = os.path.join(home, nearest_of(parts[-1], beside[home]) or min(beside[home]))
                    if len(found.get(solver, ())) < _MOST:
                        found.setdefault(solver, {}).setdefault(path, (path, "", script.mention(start)))
            elif len(parts) >= _FEWEST and 0 < len(there) <= _MOST_NAMESAKES:
                meant = _meant(parts, script.folder, there, ways)
                asked = script.folder, *parts[-2:]
                if meant and asked not in written:
                    written[asked] = any(_may_write(one, script, parts) for one in scripts)
                solver = os.path.join(meant, parts[-1])
                if meant and not written[asked] and len(found.get(solver, ())) < _MOST:
                    right = "/".join(solver.split(os.sep)[-len(parts) :])
                    found.setdefault(solver, {}).setdefault(path, (path, right, script.mention(start)))
    return {path: tuple(said.values()) for path, said in found.items()}


def _may_bring(script: Script, name: str) -> bool:
    """May it write or fetch a solver of a name, also as one of those whose names it fills in?"""
    return bool(script.may_write(name) or _FILLS_IN.search(script.text) or _brings(script, name))


def _brings(script: Script, name: str) -> bool:
    """Does a line of it that has the name copy or fetch something?"""
    lines = script.text.splitlines() if name in script.text else ()
    return any(name in line and _COPIES.search(line) for line in lines)


def _may_write(other: Script, script: Script, parts: Sequence[str]) -> bool:
    """May another script, beside one or of the folder that its path gives, write the file of that path?"""
    return (other.folder == script.folder or parts[-2] in other.text) and other.may_write(parts[-1])


def _meant(parts: Sequence[str], home: str, there: Collection[str], ways: Mapping[str, Sequence[str]]) -> str:
    """The folder of the solver that a path means in which one folder is wrong, and not the first: that of the script,
    or the only one. Empty where the path may lead to a file. ways: to the folders, from the top of the project.
    """
    near: list[str] = []
    for folder in there:
        way = [*ways[folder], parts[-1]]
        if len(way) < len(parts):
            if way == parts[-len(way) :]:
                return ""  # the project may be a folder of the tree in which it is run
            continue
        pairs = [*zip(way[-len(parts) :], parts, strict=True)]
        wrong = sum(one != other for one, other in pairs)
        if not wrong:
            return ""
        if wrong == 1 and pairs[0][0] == pairs[0][1]:
            near.append(folder)
    return home if home in near else near[0] if len(near) == 1 else ""
