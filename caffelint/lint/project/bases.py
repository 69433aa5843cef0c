"""The net of the project whose snapshot a training starts from, as its scripts tell."""

from __future__ import annotations

import os

from caffelint.lint.project.launched import homes_of
from caffelint.lint.project.memory import remembered
from caffelint.lint.project.prefixes import saved_as
from caffelint.lint.project.pretrained import trainings_of
from caffelint.lint.reach import reach_of
from caffelint.lint.read import ReadError, read
from caffelint.project.mentions import Base
from caffelint.text.parser import parse
from caffelint.text.patterns import compiled_later
from caffelint.text.scalars import string_value
from caffelint.text.tree import STRING

_SNAPSHOT = compiled_later(r"(?P<prefix>[^/]{1,200})_iter_\d{1,9}\.caffemodel(?:\.h5)?")
"""Solver::SnapshotFilename."""
_LARGEST = 1 << 22


def base_of(top: str, solver: str) -> Base | None:
    """None where a training of the solver starts from others, or from none, or where several nets are saved so."""
    folder, name = os.path.split(solver)
    said = ((script, one) for script, one in trainings_of(top, folder, name) if not one.resumes)
    home_of = homes_of(folder, name)
    found = [(script, one) for script, one in said if home_of(script.folder, one.solver) is not None]
    names = [_SNAPSHOT.fullmatch(os.path.basename(training.weights)) for _, training in found]
    prefixes = {match["prefix"] if match else "" for match in names}
    nets = sorted(saved_as(prefixes.pop(), top)) if len(prefixes) == 1 else []
    if len(nets) != 1 or not (layers := _layers_in(nets[0], top)):
        return None
    script, training = found[0]
    weights, place = os.path.basename(training.weights), script.mention(training.start)
    return Base(weights, place, os.path.relpath(nets[0], top), layers)


@remembered(100)
def _layers_in(net: str, top: str) -> tuple[str, ...]:
    """The names of the layers of a net of the project."""
    try:
        root = parse(read(net, _LARGEST, reach_of(top)), net).root
    except ReadError:
        return ()
    fields = (field.first("name") for field in root.fields if field.name in ("layer", "layers"))
    return tuple(dict.fromkeys(string_value(name.text) for name in fields if name and name.kind == STRING))
