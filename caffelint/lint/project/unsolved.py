"""The net that a solver may have been meant to name: one beside it that no solver there names."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping

from caffelint.lint.project.memory import remembered
from caffelint.lint.reach import SUFFIXES
from caffelint.lint.read import ReadError, read
from caffelint.lint.role import TRAIN, mentions_a_net, reads_data, role_of
from caffelint.text.patterns import compiled_later

_NET = compiled_later(rb"^[ \t]*(?:net|train_net|test_net)[ \t]*:[ \t]*[\"']([^\"'\n]{1,200})[\"']", re.MULTILINE)
_ALIKE = 0.6
"""As a share of two names: `trainval` and `trainnet`."""
_ROLES = compiled_later(r"train|val|test|[^a-z0-9]")
"""What the name of a net has besides that of its model."""
LONGEST, _MOST = 200, 200
"""A name, and names in a folder, that are held against that of a missing net."""
LONGEST_SLIP = 80
"""A name that is held letter by letter against others: people write few that are longer."""


@remembered(100)
def names_beside(folder: str, suffix: str = "") -> list[str]:
    """The names of the nets and solvers in a folder, and of files of another suffix, which one that is missing has."""
    suffixes = (*SUFFIXES, suffix) if suffix else SUFFIXES
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(suffixes) and len(name) < LONGEST)[:_MOST]
    except OSError:
        return []


def unsolved_net(name: str, folder: str) -> str:
    """The name of the net in a folder that no solver there names: the only one beside the only solver, or the one most
    like a net that is not there; empty if there is none."""
    nets, is_only_solver = _unsolved(folder)
    if is_only_solver and len(nets) == 1:
        return nets[0]
    nets = [other for other in nets if len(other) <= LONGEST_SLIP]
    if len(name) > LONGEST_SLIP:
        return ""
    model = _ROLES.sub("", _bare(name))
    of_model = [other for other in nets if _ROLES.sub("", _bare(other)) == model]
    if model and len(of_model) == 1:
        return of_model[0]
    from difflib import SequenceMatcher

    likely = {other: SequenceMatcher(None, _bare(name), _bare(other)).ratio() for other in nets}
    best = max(nets, key=lambda other: likely[other], default="")
    return best if best and likely[best] >= _ALIKE else ""


def only_net(folder: str) -> str:
    """The name of the net in a folder that trains, where it has one only, and one solver; empty if there is none."""
    nets, is_only_solver = _unsolved(folder)
    return nets[0] if is_only_solver and len(nets) == 1 else ""


def named_beside(name: str, folder: str) -> str:
    """The one other path by which solvers in a folder name a net of that bare name, if its end leads to a file from
    there, as `Thesis/example/train.prototxt` does in a checkout of Thesis; empty if none."""
    bare = os.path.basename(name)
    others = [path for path in _named(folder).get(bare, ()) if path != name]
    if len(others) != 1:
        return ""
    (other,) = others
    end = os.path.join(*other.split("/")[-2:])
    return other if end != bare and os.path.isfile(os.path.join(folder, end)) else ""


@remembered(100)
def _named(folder: str) -> Mapping[str, Collection[str]]:
    """The nets that the solvers in a folder name, by their names without folders."""
    found: dict[str, set[str]] = {}
    for name in names_beside(folder):
        path = os.path.join(folder, name)
        try:
            data = read(path) if "solver" in name.lower() else b""
        except ReadError:
            continue
        if mentions_a_net(data):
            for match in _NET.findall(data):
                net = match.decode("utf-8", "replace")
                found.setdefault(os.path.basename(net), set()).add(net)
    return found


def _bare(name: str) -> str:
    return name.lower().partition(".prototxt")[0]


@remembered(100)
def _unsolved(folder: str) -> tuple[list[str], bool]:
    """The nets in a folder to train that no solver there names, and whether there is one solver alone."""
    nets, solvers = [], []
    for name in names_beside(folder):
        path = os.path.join(folder, name)
        if role_of(path) == TRAIN:
            if reads_data(path):
                nets.append(name)
            continue
        try:
            data = read(path)
        except ReadError:
            continue
        if mentions_a_net(data):
            solvers.append(data)
    free = [name for name in nets if not any(name.encode() in solver for solver in solvers)]
    return free, len(solvers) == 1
