"""What a layer computes, as plain values that compare between nets."""

from __future__ import annotations

from typing import Any

from caffelint.caffe.layers import BuiltLayer
from caffelint.schema.enums import enum_name


def computed_by(layer: BuiltLayer) -> dict[str, Any]:
    """The fields that change what a layer computes, Caffe's defaults filled in; empty for types without any.

    kernel, stride and pad are (height, width), however they are written.
    """
    found: dict[str, Any] = {}
    if block := classes_block(layer):
        found["num_classes"] = getattr(layer.message, block).num_classes
    given = layer.parameters if layer.computes_by else None
    for name in layer.computes_by:
        value = getattr(given, name)
        value = "x".join(map(str, value.dim)) or "none" if name == "shape" else value
        found[name] = enum_name(given, name) or (tuple(value) if hasattr(value, "append") else value)
    if "dilation" in found:
        found["dilation"] = found["dilation"] or (1,)
    windows = layer.written_windows()
    if windows:
        for name in ("kernel", "stride", "pad"):
            found[name] = tuple(getattr(window, name) for window in windows)
    return found


def classes_block(layer: BuiltLayer) -> str:
    """The block that tells a layer of an unknown type how many classes there are; empty for any other."""
    if layer.known or layer.message is None:
        return ""
    for field, block in layer.message.ListFields():
        if hasattr(block, "ListFields") and any(inner.name == "num_classes" for inner, _ in block.ListFields()):
            return str(field.name)
    return ""
