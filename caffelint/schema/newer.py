"""A net whose layers are `layer` blocks but for their name: what makes the others such, too."""

from __future__ import annotations

from caffelint.schema.provenance import provenance
from caffelint.text.tree import IDENTIFIER, LIST, STRING, Field

_OF_OLDER_FORM = ("blobs_lr", "weight_decay", "blob_share_mode", "layer", "layers")
"""Fields of a `layers` block that a `layer` lacks (caffe.proto, V1LayerParameter)."""


def newer_form(net: Field) -> tuple[tuple[int, int, str], ...]:
    """The edits that make each `layers` block a `layer`.

    None where half of the layers or more have a type as `layers` have it, or one a field that `layer` lacks.
    """
    old = [field for field in net.fields if field.name == "layers"]
    types = [block.first("type") for block in old]
    enums = sum(type_ is not None and type_.kind == IDENTIFIER for type_ in types)
    if 2 * enums >= len(old) + len(net.all("layer")):
        return ()
    edits: list[tuple[int, int, str]] = []
    for block, type_ in zip(old, types, strict=True):
        if block.kind == LIST or any(_is_of_older_form(field) for field in block.fields):
            return ()
        edits.append((*block.name_span, "layer"))
        if type_ and type_.kind == IDENTIFIER:
            name = provenance().v1_type(type_.text)
            if not name:
                return ()
            edits.append((*type_.value_span, f'"{name}"'))
    return tuple(edits)


def _is_of_older_form(field: Field) -> bool:
    """Whether a `layer` lacks a field, or has it as a block: `param: "w"` is `param { name: "w" }` there."""
    return field.name in _OF_OLDER_FORM or (field.name == "param" and field.kind == STRING)
