"""The weights with which the scripts of a project train a solver."""

from __future__ import annotations

import os

from caffelint.lint.project.border import top_of
from caffelint.lint.project.scripts import scripts_below
from caffelint.lint.reach import Reach, is_below
from caffelint.project.scripts import Mention, Script
from caffelint.text.records import NamedTuple

_SUFFIXES = (".caffemodel", ".caffemodel.h5")


class Pretrained(NamedTuple):
    """path: of the weights. place: where a script gives them."""

    path: str
    place: Mention


def pretrained(solver: str) -> Pretrained | None:
    """The one file of weights that each training of a solver starts from, if it is there and the checkout holds it.

    None where a script trains it from others as well, or from none, or leaves a doubt.
    """
    solver = os.path.abspath(solver)
    folder, name = os.path.split(solver)
    top = top_of(folder)
    found: dict[str, Mention] = {}
    for script in scripts_below(top, top) if top else ():
        if name not in script.text:
            continue
        for training in script.trainings:
            home = _home(script, training.solver, solver)
            if home is None or training.resumes:
                continue
            path = os.path.normpath(os.path.join(home, training.weights))
            if not path.endswith(_SUFFIXES) or not os.path.isfile(path) or not Reach(folder).holds(path):
                return None
            found.setdefault(path, script.mention(training.start))
    return Pretrained(*found.popitem()) if len(found) == 1 else None


def _home(script: Script, named: str, solver: str) -> str | None:
    """The directory in which a script runs a solver: its own folder or one above, from which the path leads there."""
    plain = os.path.normpath(named)
    if os.path.isabs(plain) or not solver.endswith(os.sep + plain):
        return None
    home = solver[: -len(plain) - 1]
    return home if is_below(script.folder, home) else None
