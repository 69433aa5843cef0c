"""What a layer computes, as plain values that compare between nets."""

from __future__ import annotations

from typing import Any

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.windows import KERNEL, PAD, STRIDE, sides
from caffelint.schema.enums import enum_name


def computed_by(layer: BuiltLayer) -> dict[str, Any]:
    """The fields that change what a layer computes, Caffe's defaults filled in; empty for types without any.

    kernel, stride and pad are (height, width), however they are written, or as long as there are more axes than two.
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
    elif "kernel" in layer.shaped_by:
        found.update(_sizes_of_more_axes(given))
    return found


def _sizes_of_more_axes(p: Any) -> dict[str, tuple[int, ...]]:
    """kernel, stride and pad along three axes or more, of which each has a value of its own; empty for fewer."""
    axes = len(p.kernel_size)
    names = {"kernel": KERNEL, "stride": STRIDE, "pad": PAD}
    found = {name: tuple(sides(p, field, axes)) for name, field in names.items()}
    return found if axes > 2 and all(len(values) == axes for values in found.values()) else {}


def classes_block(layer: BuiltLayer) -> str:
    """The block that tells a layer of an unknown type how many classes there are; empty for any other."""
    if layer.known or layer.message is None:
        return ""
    for field, block in layer.message.ListFields():
        if hasattr(block, "ListFields") and any(inner.name == "num_classes" for inner, _ in block.ListFields()):
            return str(field.name)
    return ""
