"""The weights with which the scripts of a project train a solver."""

from __future__ import annotations

import os
from collections.abc import Iterable

from caffelint.lint.project.about import Paths
from caffelint.lint.project.border import top_of
from caffelint.lint.project.launched import homes_of
from caffelint.lint.project.memory import remembered
from caffelint.lint.project.scripts import scripts_below
from caffelint.lint.reach import reach_of
from caffelint.project.mentions import Mention
from caffelint.project.script_trainings import Training
from caffelint.project.scripts import Script
from caffelint.text.records import NamedTuple

_SUFFIXES = (".caffemodel", ".caffemodel.h5")
_POINTER = b"version https://git-lfs"


class Pretrained(NamedTuple):
    """path: of the weights. place: where a script gives them."""

    path: str
    place: Mention


def pretrained(solver: str) -> Pretrained | None:
    """The one file of weights that each training of a solver starts from, if it is there and the checkout holds it.

    None where a script trains it from others as well, or from none, or names it in a way that is not understood.
    """
    solver = os.path.abspath(solver)
    folder, name = os.path.split(solver)
    top = top_of(folder)
    reach = reach_of(folder)
    found: dict[str, Mention] = {}
    home_of = homes_of(folder, name)
    for script, training in trainings_of(top, folder, name) if top else ():
        home = home_of(script.folder, training.solver)
        if home is None or training.resumes:
            continue
        path = os.path.normpath(os.path.join(home, training.weights))
        if not path.endswith(_SUFFIXES) or not reach.holds(path) or not _is_there(path):
            return None
        found.setdefault(path, script.mention(training.start))
    return Pretrained(*found.popitem()) if len(found) == 1 else None


def trainings_of(top: str, folder: str, name: str) -> Iterable[tuple[Script, Training]]:
    """Where scripts train the solver of that name in a folder; empty where one names it in another way."""
    said = _trainings(top, name)
    return said.of(folder, name) if said else ()


@remembered(1000)
def _trainings(top: str, name: str) -> Paths[tuple[Script, Training]] | None:
    """Where scripts train solvers of a name; None where one names them in another way, or by an absolute path."""
    found: list[tuple[Script, Training]] = []
    for script in scripts_below(top, top):
        if name not in script.text:
            continue
        mine = [one for one in script.trainings if one.solver.endswith(name)]
        if script.moves or len(mine) != script.mentions(name) or any(os.path.isabs(one.solver) for one in mine):
            return None
        found += ((script, one) for one in mine)
    return Paths((training.solver, script.folder, (script, training)) for script, training in found)


def _is_there(path: str) -> bool:
    """Is it a file of weights, and not what a checkout has in place of a large one?"""
    try:
        with open(path, "rb") as file:
            start = file.read(len(_POINTER))
    except OSError:
        return False
    return bool(start) and start != _POINTER
