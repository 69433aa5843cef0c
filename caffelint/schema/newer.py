"""A net whose `layers` blocks are `layer` blocks in all but name: the edits that rename them."""

from __future__ import annotations

from caffelint.schema.provenance import provenance
from caffelint.text.edits import Edit
from caffelint.text.scalars import string_value
from caffelint.text.tree import IDENTIFIER, LIST, STRING, Field

_OF_OLDER_FORM = ("blobs_lr", "weight_decay", "blob_share_mode", "layer", "layers")
"""Fields of a `layers` block that a `layer` lacks (caffe.proto, V1LayerParameter)."""


def newer_form(net: Field) -> tuple[Edit, ...]:
    """The edits that make each `layers` block a `layer`.

    None where half of the layers or more have a type as `layers` have it, or one a field that `layer` lacks.
    """
    old = [field for field in net.fields if field.name == "layers"]
    types = [block.first("type") for block in old]
    if 2 * sum(map(_is_enum, types)) >= len(old) + len(net.all("layer")):
        return ()
    edits: list[Edit] = []
    for block, type_ in zip(old, types, strict=True):
        if block.kind == LIST or any(_is_of_older_form(field) for field in block.fields):
            return ()
        edits.append(Edit(*block.name_span, "layer"))
        if type_ and _is_enum(type_):
            name = provenance().v1_type(_name(type_))
            if not name:
                return ()
            edits.append(Edit(*type_.value_span, f'"{name}"'))
    return tuple(edits)


def _is_enum(type_: Field | None) -> bool:
    """Whether it is a type of `layers`, which some put into quotes."""
    return type_ is not None and (type_.kind == IDENTIFIER or bool(provenance().v1_type(_name(type_))))


def _name(type_: Field) -> str:
    return string_value(type_.text) if type_.kind == STRING else type_.text


def _is_of_older_form(field: Field) -> bool:
    """Whether a `layer` lacks a field, or has it as a block: `param: "w"` is `param { name: "w" }` there."""
    return field.name in _OF_OLDER_FORM or (field.name == "param" and field.kind == STRING)
