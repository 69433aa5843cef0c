"""A solver or a net as a check reads it: with the Caffe of its project, and a solver with the nets that it names."""

from __future__ import annotations

from caffelint.caffe.solver import NetUse, Solver
from caffelint.lint.config import Config
from caffelint.lint.discover import named_nets, relative
from caffelint.lint.file import File, load
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.reach import OUTSIDE
from caffelint.lint.read import ReadError, read


class NotJoined(Exception):
    """Which file cannot be read, and why: one line."""


def load_joined(path: str, config: Config) -> dict[str, File]:
    """The file at `path`, and the nets that it names if it is a solver; the first is its own. Raises NotJoined."""
    caffes = Caffes(config)
    file = _load(path, None, caffes)
    files = {path: file}
    if file.solver is not None:
        uses = _uses(file.solver, files, config, caffes)
        file.solver.join([*uses, *file.solver.inline_nets])
    return files


def set_shapes(file: File, shapes: dict[str, tuple[int, ...]]) -> None:
    """Give the nets of a file the shapes of their tops."""
    nets = [use.net for use in file.solver.nets] if file.solver else file.nets
    for net in nets:
        tops = {top for layer in net.layers for top in layer.tops}
        net.input_shapes = {top: shape for top, shape in shapes.items() if top in tops}


def _load(path: str, kind: str | None, caffes: Caffes) -> File:
    try:
        taken = caffes.of(path)
        return load(read(path), path, kind, taken.dialect, caffe=taken.caffe)
    except ReadError as error:
        raise NotJoined(f"{path}: {error}") from error


def _uses(solver: Solver, files: dict[str, File], config: Config, caffes: Caffes) -> list[NetUse]:
    uses = []
    for named in named_nets(solver.path, config.roots):
        if named.path is None:
            why = OUTSIDE if named.outside else "does not exist"
            raise NotJoined(f'{solver.path}: {named.field} "{named.name}" {why}')
        where = relative(named.path)
        if where not in files:
            files[where] = _load(where, "net", caffes)
        net = files[where].net
        if net:
            uses.append(NetUse(named.field, net, named.position))
    return uses
