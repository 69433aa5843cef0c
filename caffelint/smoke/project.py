"""A solver with the nets that it names, read and joined as in a check."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from caffelint.caffe.net import Net
from caffelint.caffe.solver import Solver
from caffelint.lint.config import Config
from caffelint.lint.file import File
from caffelint.lint.joined import NotJoined, given_shapes, load_joined, rewritten, set_shapes
from caffelint.lint.project.python_paths import folders_by_scripts
from caffelint.project.mentions import Mention
from caffelint.smoke.job import JobNet
from caffelint.text.edits import Edit


class NoProject(Exception):
    """Why there is nothing to run: one line."""


class PlannedNet(NamedTuple):
    """A net that the solver would build, with the user's text of it. `job.path` is the user's file."""

    job: JobNet
    net: Net
    field: str


class Project:
    """files: by path, the solver's first."""

    def __init__(self, solver: Solver, files: dict[str, File]):
        self.solver = solver
        self.files = files

    def nets(self) -> list[PlannedNet]:
        """The net to train, then those to test, in Caffe's order."""
        builds = self.solver.builds
        if not any(build.test is None for build, _, _ in builds):
            raise NoProject(f"{self.solver.path}: there is no net to train, or it cannot be read")
        planned = []
        for build, net, state in builds:
            job = JobNet(net.path, state.phase, tuple(sorted(state.stages)), state.level, build.iterations)
            planned.append(PlannedNet(job, net, build.field))
        return planned

    @property
    def own_weights(self) -> str:
        """The file that the solver starts from, as solver.cpp, LoadNetWeights, has it; empty for none or several."""
        named = self.solver.message.weights
        return named[0] if len(named) == 1 and os.path.isfile(named[0]) else ""

    @cached_property
    def layer_folders(self) -> dict[str, Mention]:
        """Where Python layers are looked for too, since a script has their folder on Python's path, and which does."""
        return folders_by_scripts(layer for use in self.solver.nets for layer in use.net.layers_having("python_param"))

    def changed(self, edits: Mapping[str, Sequence[Edit]]) -> Project:
        """The same with other texts, by path, read anew. Raises ValueError where they are no solver and nets."""
        files = rewritten(self.files, edits)
        solver = files[self.solver.path].solver
        if solver is None:
            raise ValueError(self.solver.path)
        return Project(solver, files)


def load_project(path: str, config: Config, input_shapes: Mapping[str, tuple[int, ...]] | None = None) -> Project:
    """Read a solver and its nets. Raises NoProject if there is no solver to read."""
    try:
        files = load_joined(path, config)
    except NotJoined as error:
        raise NoProject(str(error)) from error
    file = files[path]
    solver = file.solver
    if solver is None:
        raise NoProject(f"{path}: this is {'a net' if file.net else 'not a solver'}; give the solver that trains it")
    set_shapes(file, given_shapes(config) | dict(input_shapes or {}))
    for top in input_shapes or ():
        if not any(top in use.net.input_shapes for use in solver.nets):
            raise NoProject(f'--input-shape "{top}": no layer of these nets has such a top')
    return Project(solver, files)
