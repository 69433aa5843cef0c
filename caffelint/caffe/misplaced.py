"""A field that a layer lacks and that stands in a block which its type does not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.caffe.refusal import Kind
from caffelint.schema.provenance import provenance

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer
    from caffelint.caffe.refused import Refused


def misplaced(refused: Refused) -> str:
    """The block in which all layers of a refusal have the field that they lack; empty if there is none."""
    field = refused.refusal.values.get("missing", "")
    if refused.refusal.kind is not Kind.MISSING_FIELD or not field or not refused.layers:
        return ""
    found = set[str].intersection(*(_blocks_with(layer, field) for layer in refused.layers))
    return min(found, default="")


def _blocks_with(layer: Layer, name: str) -> set[str]:
    read = provenance().param_blocks(layer.type)
    return {
        field.name
        for field, value in layer.message.ListFields()
        if field.name.endswith("_param")
        and field.name not in read
        and any(inner.name == name for inner, _ in value.ListFields())
    }
