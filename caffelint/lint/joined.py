"""A solver or a net as a check reads it: with the Caffe of its project, and a solver with the nets that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caffelint.caffe.solver import NetUse, Solver
from caffelint.lint.config import Config
from caffelint.lint.discover import named_nets, relative
from caffelint.lint.file import File, load
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.project.python_layers import modules_of, tell_modules
from caffelint.lint.reach import OUTSIDE
from caffelint.lint.read import ReadError, read
from caffelint.text.edits import Edit, apply_edits


class NotJoined(Exception):
    """Which file cannot be read, and why: one line."""


def given_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """The shapes of the settings (`input-shape`), by top."""
    return {top: tuple(map(int, dims.split("x"))) for top, dims in config.input_shape.items()}


def load_joined(path: str, config: Config) -> dict[str, File]:
    """The file at `path`, and the nets that it names if it is a solver; the first is its own. Raises NotJoined."""
    caffes = Caffes(config)
    file = _load(path, None, caffes)
    files = {path: file}
    if file.solver is not None:
        uses = _uses(file.solver, files, config, caffes)
        file.solver.join([*uses, *file.solver.inline_nets])
    contents = {name: one.document.source.data for name, one in files.items()}
    tell_modules((net for one in files.values() for net in one.nets), modules_of(contents, config.roots))
    return files


def rewritten(files: Mapping[str, File], edits: Mapping[str, Sequence[Edit]]) -> dict[str, File]:
    """The same files with other texts, by path, read anew; what is known of the shapes of their tops stays."""
    found = {
        path: load(
            apply_edits(file.document.source.data, edits.get(path, ())), path, file.kind, file.dialect, caffe=file.caffe
        )
        for path, file in files.items()
    }
    for path, file in found.items():
        was = files[path]
        if file.solver is not None and was.solver is not None:
            named = [
                NetUse(use.field, net, use.position)
                for use in was.solver.nets
                if use.net.path in found and (net := found[use.net.path].net) is not None
            ]
            file.solver.join([*named, *file.solver.inline_nets])
            for use, before in zip(file.solver.nets, was.solver.nets, strict=True):
                use.net.input_shapes = before.net.input_shapes
        elif file.net is not None and was.net is not None:
            file.net.input_shapes = was.net.input_shapes
    return found


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
