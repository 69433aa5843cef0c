"""The names of a net and all places where they are written: of blobs, layers, and shared parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from caffelint.caffe.net import Net
from caffelint.lint.file import File
from caffelint.lsp.documents import View
from caffelint.lsp.spot import spot
from caffelint.text.scalars import string_value
from caffelint.text.tree import MESSAGE, STRING, Field

BLOB, LAYER, PARAM = "blob", "layer", "parameter"
FILES = frozenset(
    [
        "net",
        "train_net",
        "test_net",
        "source",
        "mean_file",
        "root_folder",
        "snapshot_prefix",
        "weights",
        "label_map_file",
        "name_size_file",
    ]
)
"""Fields that hold paths."""
_LAYERS = ("layer", "layers")


class Name(NamedTuple):
    """A name, what it is the name of, and the field that was pointed at."""

    kind: str
    name: str
    field: Field


class Use(NamedTuple):
    """A place in a file, by real path, where a name is written; `makes`: does what is named come into being there?"""

    path: str
    field: Field
    makes: bool


def name_at(view: View, offset: int) -> Name | None:
    """The name of a blob, a layer or a parameter at a byte."""
    found = spot(view.file, offset)
    if found is None or found.in_name or found.field.kind != STRING or view.file.kind == "other":
        return None
    blocks = [field.name for field in found.fields[:-1] if field.kind == MESSAGE]
    kind = kind_of(blocks, found.field.name)
    name = string_value(found.field.text)
    return Name(kind, name, found.field) if kind and name else None


def kind_of(blocks: Sequence[str], field: str) -> str:
    """What the strings of a field name, by the names of the blocks around it; empty for what is no name."""
    inner = blocks[-1] if blocks else ""
    if inner in _LAYERS and field in ("bottom", "top"):
        return BLOB
    if inner in _LAYERS and field == "name":
        return LAYER
    if inner == "param" and field == "name":
        return PARAM
    return BLOB if field == "input" and inner in ("", "net_param", "train_net_param", "test_net_param") else ""


def uses(view: View, name: Name) -> list[Use]:
    """Where a name is written: of a layer in all nets of the solver, which share weights by it; of a blob in those that
    have it in the same role; else in the file.
    """
    return [use for path in _files(view, name) for use in _in_file(path, view.files[path], name)]


def nets_of(view: View, name: Name) -> list[Net]:
    """The nets that `uses` looks through."""
    return [net for path in _files(view, name) for net in view.files[path].nets]


def _files(view: View, name: Name) -> list[str]:
    if name.kind == LAYER:
        return list(view.files)
    own = _roles(view.file, name.name) if name.kind == BLOB else set()
    return [path for path, file in view.files.items() if path == view.path or own & _roles(file, name.name)]


def _roles(file: File, blob: str) -> set[tuple[str, str, int]]:
    """What a blob is in the nets of a file: of which layer, by name, it is which bottom or top."""
    return {
        (layer.name, side, index)
        for net in file.nets
        for layer in net.layers
        for side, names in (("bottom", layer.bottoms), ("top", layer.tops))
        for index, name in enumerate(names)
        if name == blob and layer.name
    }


def _in_file(path: str, file: File, name: Name) -> Iterator[Use]:
    pending: list[tuple[Field, tuple[str, ...]]] = [(file.document.root, ())]
    while pending:
        block, blocks = pending.pop()
        for field in block.fields:
            if field.kind == MESSAGE:
                pending.append((field, (*blocks, field.name)))
            elif kind_of(blocks, field.name) == name.kind:
                for item in field.fields or (field,):
                    if item.kind == STRING and string_value(item.text) == name.name:
                        yield Use(path, item, field.name in ("top", "name", "input"))


def taken(nets: Sequence[Net], kind: str) -> set[str]:
    """The names of that kind that nets have."""
    if kind == LAYER:
        return {layer.name for net in nets for layer in net.layers}
    if kind == BLOB:
        return {blob for net in nets for layer in net.layers for blob in (*layer.bottoms, *layer.tops)}
    return {str(spec.name) for net in nets for layer in net.layers for spec in layer.message.param}
