"""What is at a place of a text: a field of the tree, the blocks around it, and what the schema says of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from caffelint.caffe.net import Layer, Net
from caffelint.lint.file import File
from caffelint.schema.messages import NetParameter, SolverParameter
from caffelint.schema.tables import FieldType, MessageType, message_type
from caffelint.text.tree import LIST, STRING, Field

_BLOB_FIELDS = ("bottom", "top")


class Spot(NamedTuple):
    """`fields` from the outermost block in: the last is what is there. `types` say what each is, None for a stranger.

    `in_name`: is it on the name of the last, and not on its value?
    """

    fields: tuple[Field, ...]
    types: tuple[FieldType | None, ...]
    messages: tuple[MessageType | None, ...]
    in_name: bool

    @property
    def field(self) -> Field:
        return self.fields[-1]

    @property
    def is_blob(self) -> bool:
        """Is it the name of a blob, as a layer has it, or an `input` of the net?"""
        names = _BLOB_FIELDS if len(self.fields) > 1 else ("input",)
        return self.field.name in names and self.field.kind == STRING


def root_type(file: File) -> MessageType | None:
    """The type of the whole text; None where it is neither a net nor a solver."""
    descriptors = {"net": NetParameter.DESCRIPTOR, "solver": SolverParameter.DESCRIPTOR}
    descriptor = descriptors.get(file.kind)
    if descriptor is None:
        return None
    return file.caffe.message_type(descriptor.name, descriptor) if file.caffe else message_type(descriptor)


def spot(file: File, offset: int) -> Spot | None:
    """What is at a byte of the text; None between fields."""
    fields: list[Field] = []
    types: list[FieldType | None] = []
    messages: list[MessageType | None] = []
    inside = file.document.root
    message = root_type(file)
    while (field := _at(inside.fields, offset)) is not None:
        if inside.kind != LIST:
            type_ = message.field(field.name) if message else None
        fields.append(field)
        types.append(type_)
        messages.append(message)
        if inside.kind != LIST:
            message = type_.message if type_ else None
        inside = field
    if not fields:
        return None
    last = fields[-1]
    start, end = last.name_span
    in_name = start <= offset <= end and last.start != last.value_start
    if last.fields and not in_name:
        return None
    return Spot(tuple(fields), tuple(types), tuple(messages), in_name)


def _at(fields: Sequence[Field], offset: int) -> Field | None:
    before = bisect_right(fields, offset, key=_start)
    return fields[before - 1] if before and offset <= fields[before - 1].end else None


def _start(field: Field) -> int:
    return field.start


def layer_at(nets: Sequence[Net], offset: int) -> Layer | None:
    """The layer whose block spans a byte; where no block does, the one that Caffe makes of `input` fields, if any."""
    around = None
    for net in nets:
        for layer in net.layers:
            node = layer.node
            if node is not None and node.start <= offset <= node.end:
                if node.name:
                    return layer
                around = layer
    return around
