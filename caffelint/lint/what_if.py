"""A solver and its nets with other values, written as `base_lr=0.1` or `conv1.std=0.01`, as edits of their texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from caffelint.caffe.fillers import FILLER_FIELDS
from caffelint.caffe.net import Layer
from caffelint.lint.edits import Edits, quoted, write
from caffelint.lint.file import File
from caffelint.schema.tables import FIRST_FORK_NUMBER
from caffelint.text.edits import Edit


class NotWritten(ValueError):
    """Why a change cannot be made: one line."""


def what_if(changes: list[str], files: list[File]) -> dict[str, list[Edit]]:
    """The edits of the files, by path; the first is the one that was named. Raises NotWritten."""
    found: dict[str, list[Edit]] = {}
    changed = [change.partition("=")[0] for change in changes]
    for change in changes:
        name, sign, value = change.partition("=")
        if not sign or not name or not value:
            raise NotWritten(f'"{change}" is not a change; write it as base_lr=0.1 or conv1.std=0.01')
        edits = list(_edits(name, value, files, changed))
        if not edits:
            raise NotWritten(f'"{name}" is no field of the solver, nor of a layer, as LAYER.FIELD')
        for path, edit in edits:
            found.setdefault(path, []).append(edit)
    return found


def _edits(name: str, value: str, files: list[File], changed: Collection[str]) -> Iterator[tuple[str, Edit]]:
    for file in files:
        if file.solver is not None and _owner(file.solver.message.DESCRIPTOR, [name]):
            yield from write(file.solver, name, value=_text(file.solver.message.DESCRIPTOR, name, value)) or ()
        for net in file.nets:
            for layer in net.layers:
                if name.startswith(f"{layer.name}."):
                    yield from _of_layer(layer, name.removeprefix(f"{layer.name}."), value, changed) or ()


def _of_layer(layer: Layer, name: str, value: str, changed: Collection[str]) -> Edits:
    """A field of a layer, of its block or of its filler; `lr_mult` and `decay_mult` are those of the weights."""
    names = name.split(".")
    block = layer.kind.block
    starts: list[list[str]] = [[block], [block, "weight_filler"], [block, "filler"], ["transform_param"], ["param"], []]
    # A fork's field comes after all of BVLC's: one of them has a std in the block of a convolution.
    for forks in (False, True):
        for start in starts:
            path = [*start, *names]
            owner = _owner(layer.message.DESCRIPTOR, path, forks)
            if owner is not None:
                _check_filler(layer, path, changed)
                return write(layer, *path, value=_text(owner, path[-1], value))
    return None


def _check_filler(layer: Layer, path: list[str], changed: Collection[str]) -> None:
    """Raises NotWritten for a setting that the filler does not read, unless its type changes as well."""
    if len(path) != 3 or not path[1].endswith("filler") or path[2] == "type":
        return
    kind = getattr(getattr(layer.message, path[0]), path[1]).type
    if path[2] not in FILLER_FIELDS.get(kind, (path[2],)) and not any(
        name in changed for name in (f"{layer.name}.type", f"{layer.name}.{path[1]}.type")
    ):
        takes = next((other for other, fields in FILLER_FIELDS.items() if path[2] in fields), "")
        advice = f"; add {layer.name}.type={takes}" if takes else ""
        raise NotWritten(f'the {path[1]} of "{layer.name}" is {kind}, which reads no {path[2]}{advice}')


def _owner(message: Any, path: list[str], forks: bool = True) -> Any:
    """The descriptor of the message that a path of fields ends in; None where there is no such field.

    forks: does a field count that only forks have?
    """
    for name in path[:-1]:
        field = message.fields_by_name.get(name)
        if field is None or field.message_type is None:
            return None
        message = field.message_type
    field = message.fields_by_name.get(path[-1])
    if field is None or field.message_type is not None or not (forks or field.number < FIRST_FORK_NUMBER):
        return None
    return message


def _text(message: Any, name: str, value: str) -> str:
    field = message.fields_by_name[name]
    return quoted(value) if field.type == field.TYPE_STRING else value
