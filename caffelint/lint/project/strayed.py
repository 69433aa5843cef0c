"""Solvers that shell scripts run by a path that leads to no file of the project, as of a folder that was renamed."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from caffelint.lint.project.memory import remembered
from caffelint.lint.project.scripts import scripts_below, solvers_in
from caffelint.project.mentions import Mention
from caffelint.project.scripts import Script

_SHELLS = (".sh", ".bash")
_FEWEST = 3
"""Parts of a path of which one may be wrong: two others say which solver is meant."""
_MOST_NAMESAKES = 50
"""Solvers of one name that a path is held against."""

Strayed = Mapping[str, tuple[tuple[str, str, Mention], ...]]
"""By the paths of the solvers that are meant: the paths that scripts have, those that lead to the solver, and where."""


@remembered(4)
def strayed_in(top: str) -> Strayed:
    return strayed_of([*scripts_below(top, top)], top, solvers_in(top))


def strayed_of(scripts: Sequence[Script], top: str, solvers: Mapping[str, Collection[str]]) -> Strayed:
    """solvers: the folders of those of each name."""
    found: dict[str, dict[str, tuple[str, str, Mention]]] = {}
    for script in (one for one in scripts if one.path.endswith(_SHELLS) and not one.is_shipped):
        for path, start in script.launches:
            parts = os.path.normpath(path).split(os.sep)
            there = solvers.get(parts[-1], ())
            if len(parts) >= _FEWEST and 0 < len(there) <= _MOST_NAMESAKES:
                meant = _meant(parts, script.folder, top, there)
                if meant and not any(_may_write(one, script, parts) for one in scripts):
                    solver = os.path.join(meant, parts[-1])
                    right = "/".join(solver.split(os.sep)[-len(parts) :])
                    found.setdefault(solver, {}).setdefault(path, (path, right, script.mention(start)))
    return {path: tuple(said.values()) for path, said in found.items()}


def _may_write(other: Script, script: Script, parts: Sequence[str]) -> bool:
    """May another script, beside one or of the folder that its path gives, write the file of that path?"""
    return (other.folder == script.folder or parts[-2] in other.text) and other.may_write(parts[-1])


def _meant(parts: Sequence[str], home: str, top: str, there: Collection[str]) -> str:
    """The folder of the solver that a path means in which one folder is wrong, and not the first: that of the script,
    or the only one. Empty where the path may lead to a file.
    """
    near: list[str] = []
    for folder in there:
        way = [*os.path.relpath(folder, top).split(os.sep), parts[-1]]
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
