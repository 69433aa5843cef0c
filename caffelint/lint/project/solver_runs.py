"""What the project tells of its solvers: its scripts, and its other solvers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from caffelint.lint.discover import NamedNet
from caffelint.lint.project.bases import base_of, loaded_by
from caffelint.lint.project.border import top_of
from caffelint.lint.project.prefixes import shared_prefix
from caffelint.lint.project.scripts import runs_by_solver
from caffelint.lint.project.stopped import stopped_in
from caffelint.lint.project.strayed import strayed_in
from caffelint.project.solver_runs import Runs


def runs_of_solvers(
    contents: Mapping[str, bytes], nets: Sequence[tuple[str, Sequence[NamedNet]]]
) -> Mapping[str, Runs]:
    """Of each of these solvers."""
    found = dict(runs_by_solver(contents, nets))
    for path, runs in found.items():
        solver = os.path.abspath(path)
        if top := top_of(os.path.dirname(solver)):
            found[path] = runs._replace(
                sharing=shared_prefix(top, solver),
                base=base_of(top, solver),
                loaded=loaded_by(top, solver),
                stopped=stopped_in(top).get(solver, ()),
                strayed=strayed_in(top).get(solver, ()),
            )
    return found
