"""What a layer computes, as plain values that compare between nets."""

from __future__ import annotations

from typing import Any

from caffelint.lint import Layer, Net
from caffelint.lint.built import classes_block, computed_by

_SIDES = ("kernel", "stride", "pad")
"""Fields with a value for the height and one for the width."""


def parameters(layer: Layer) -> dict[str, Any]:
    """The fields that change what a layer computes: see `computed_by`."""
    return computed_by(layer.kind)


def described(value: Any) -> str:
    """A value as people write it: `3`, `3x1`, `true`, `0.1`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        same = len(set(value)) == 1
        return described(value[0]) if same else "x".join(described(item) for item in value) or "none"
    return str(value)


def field_path(layer: Layer, field: str) -> tuple[str, str]:
    """Where a field of `parameters` is written in a layer."""
    block = layer.kind.block or classes_block(layer.kind)
    names = ("kernel_size", "kernel_h", "kernel_w") if field == "kernel" else (field, f"{field}_h", f"{field}_w")
    if field in _SIDES:
        return block, next((name for name in names if layer.has(block, name)), names[0])
    return block, field


def field_name(field: str) -> str:
    """A field of `parameters` by the name that it has in a prototxt."""
    return "kernel_size" if field == "kernel" else field


def settable(layer: Layer, field: str, value: Any) -> str:
    """A field and a value as text to write over what a layer has; empty where one number does not say it."""
    name = field_name(field)
    if isinstance(value, tuple):
        sides_alike = field in _SIDES and len(set(value)) == 1 and field_path(layer, field)[1] == name
        if not sides_alike:
            return ""
    return f"{name}: {described(value)}"


def sharing(net: Net) -> list[Layer]:
    """The layers that give a parameter a name, by which others may share it: found out once for a net."""
    return net.once(_sharing)


def _sharing(net: Net) -> list[Layer]:
    return [layer for layer in net.layers_having("param") if any(spec.name for spec in layer.message.param)]


def share_all_params(layer: Layer, other: Layer) -> bool:
    """Have both the same parameters, by the names of these?"""
    mine, theirs = ([spec.name for spec in one.message.param] for one in (layer, other))
    return mine == theirs and len(mine) > 1 and all(mine)
