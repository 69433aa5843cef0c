"""The net of the project whose snapshot a training starts from, as its scripts tell."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from caffelint.lint.project.launched import homes_of
from caffelint.lint.project.memory import remembered
from caffelint.lint.project.prefixes import saved_as
from caffelint.lint.project.pretrained import trainings_of
from caffelint.lint.project.scripts import folders_with, scripts_below
from caffelint.lint.reach import reach_of
from caffelint.lint.read import ReadError, read
from caffelint.project.mentions import Base
from caffelint.project.script_trainings import Training
from caffelint.project.scripts import Script
from caffelint.text.parser import parse
from caffelint.text.patterns import compiled_later
from caffelint.text.scalars import string_value
from caffelint.text.tree import STRING

_SNAPSHOT = compiled_later(r"(?P<prefix>[^/]{1,200})_iter_\d{1,9}\.caffemodel(?:\.h5)?")
"""Solver::SnapshotFilename."""
_LARGEST = 1 << 22
_ENDS = ("", "_deploy", "_train_val", "_trainval", "_train", "_test", ".deploy", "-deploy")
"""What the name of a net has behind that of its weights."""
Loading = Sequence[tuple[Script, Training]]
_OF_ANY = frozenset(["model", "net", "network", "weights", "final", "best", "deploy", "train", "test", "init"])


def base_of(top: str, solver: str) -> Base | None:
    """None where a training of the solver starts from others, or from none, or where several nets are saved so."""
    folder, name = os.path.split(solver)
    said = ((script, one) for script, one in trainings_of(top, folder, name) if not one.resumes)
    home_of = homes_of(folder, name)
    found = [(script, one) for script, one in said if home_of(script.folder, one.solver) is not None]
    names = [_SNAPSHOT.fullmatch(os.path.basename(training.weights)) for _, training in found]
    prefixes = {match["prefix"] if match else "" for match in names}
    nets = sorted(saved_as(prefixes.pop(), top)) if len(prefixes) == 1 else []
    return _base(found, nets, top, partial(_layers_in, top=top))


def _base(loading: Loading, nets: Sequence[str], top: str, layers_in: Callable[[str], Sequence[str]]) -> Base | None:
    """None where weights are those of no net, or of several, of which one may be it."""
    if len(nets) != 1 or not (layers := tuple(layers_in(nets[0]))):
        return None
    script, training = loading[0]
    weights, place = os.path.basename(training.weights), script.mention(training.start)
    return Base(weights, place, os.path.relpath(nets[0], top), layers)


def loaded_by(top: str, solver: str) -> Base | None:
    """The net of the project that the weights which scripts give a training are of, by the name of their file alone."""
    return loaded_of(
        _loading(top).get(solver, ()), top, lambda weights: _nets_of(weights, top), partial(_layers_in, top=top)
    )


def loaded_of(
    loading: Loading, top: str, nets_of: Callable[[str], Sequence[str]], layers_in: Callable[[str], Sequence[str]]
) -> Base | None:
    """None where scripts give the training several files, or where their name is not that of one net."""
    names = {os.path.basename(one.weights) for _, one in loading}
    nets = nets_of(name) if len(names) == 1 and "," not in (name := names.pop()) else ()
    return _base(loading, nets, top, layers_in)


def loading_of(scripts: Iterable[Script], top: str, is_file: Callable[[str], bool]) -> Mapping[str, Loading]:
    """Where scripts give the training of a solver weights, by its path.

    A script that goes to the folder of a clone elsewhere gives the path from the top.
    """
    found: dict[str, list[tuple[Script, Training]]] = {}
    for script in scripts:
        for one in script.trainings if "caffemodel" in script.text else ():
            if not one.weights or one.resumes:
                continue
            paths = [os.path.normpath(os.path.join(home, one.solver)) for home in (script.folder, top)]
            if path := next(filter(is_file, paths), ""):
                found.setdefault(path, []).append((script, one))
    return found


def called_after(weights: str) -> list[str]:
    """The names that the net of a file of weights may have."""
    stem = weights.partition(".caffemodel")[0]
    return [] if stem.lower() in _OF_ANY else [f"{stem}{end}.prototxt" for end in _ENDS]


@remembered(4)
def _loading(top: str) -> Mapping[str, Loading]:
    return loading_of(
        scripts_below(top, top), top, lambda path: os.path.dirname(path) in folders_with(top, os.path.basename(path))
    )


def _nets_of(weights: str, top: str) -> list[str]:
    """The nets of the project that a file of weights is called after: those of a snapshot's solver, or of its name."""
    if match := _SNAPSHOT.fullmatch(weights):
        return [] if match["prefix"].lower() in _OF_ANY else sorted(saved_as(match["prefix"], top))
    return [os.path.join(folder, name) for name in called_after(weights) for folder in folders_with(top, name)]


@remembered(100)
def _layers_in(net: str, top: str) -> tuple[str, ...]:
    """The names of the layers of a net of the project."""
    try:
        return layers_of(read(net, _LARGEST, reach_of(top)), net)
    except ReadError:
        return ()


def layers_of(data: bytes, net: str) -> tuple[str, ...]:
    root = parse(data, net).root
    fields = (field.first("name") for field in root.fields if field.name in ("layer", "layers"))
    return tuple(dict.fromkeys(string_value(name.text) for name in fields if name and name.kind == STRING))
