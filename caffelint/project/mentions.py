"""Where scripts say something, and what of the solvers that they run."""

from __future__ import annotations

from caffelint.text.records import NamedTuple


class Mention(NamedTuple):
    """Where a script says something: its path, and the line, 1-based."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Astray(NamedTuple):
    """A net that is not where Caffe looks for it: the field of the solver and the name in it, the path by which it
    would be found, the one by which a script runs the solver, and where that does.
    """

    field: str
    position: int
    name: str
    path: str
    solver: str
    place: Mention


class Launched(NamedTuple):
    """That a script runs a solver: the directory in which it does, the path that it gives, and the place."""

    home: str
    path: str
    place: Mention
