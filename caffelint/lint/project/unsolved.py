"""The net that a solver may have been meant to name: one beside it that no solver there names."""

from __future__ import annotations

import os
from difflib import SequenceMatcher

from caffelint.lint.project.memory import remembered
from caffelint.lint.reach import SUFFIXES
from caffelint.lint.read import ReadError, read
from caffelint.lint.role import TRAIN, mentions_a_net, reads_data, role_of

_ALIKE = 0.6
"""As a share of two names: `trainval` and `trainnet`."""
LONGEST, _MOST = 200, 200
"""A name, and names in a folder, that are held against that of a missing net."""


@remembered(100)
def names_beside(folder: str) -> list[str]:
    """The names of the nets and solvers in a folder."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(SUFFIXES) and len(name) < LONGEST)[:_MOST]
    except OSError:
        return []


def unsolved_net(name: str, folder: str) -> str:
    """The name of the net in a folder that no solver there names: the only one beside the only solver, or the one most
    like a net that is not there; empty if there is none."""
    nets, is_only_solver = _unsolved(folder)
    if is_only_solver and len(nets) == 1:
        return nets[0]
    likely = {other: SequenceMatcher(None, _bare(name), _bare(other)).ratio() for other in nets}
    best = max(nets, key=lambda other: likely[other], default="")
    return best if best and likely[best] >= _ALIKE else ""


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
