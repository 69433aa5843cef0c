"""Whether a block that Caffe ignores was meant to have an effect."""

from __future__ import annotations

from typing import Any

from caffelint.lint import Layer, Net
from caffelint.lint.built import misplaced


def matters(type_: str, block: str, layers: list[Layer]) -> bool:
    """Whether a block that is ignored says something, and is not left over from another type, beside the type's own."""
    own = layers[0].kind.block
    if is_for_others(type_, block):
        return bool(layers[0].net.solvers) and any(_says(layer.param(block)) for layer in layers)
    if (type_, block) == ("Softmax", "loss_param"):
        return False
    return any(_says(layer.param(block)) for layer in layers if not (own and layer.has(own)))


def is_for_others(type_: str, block: str) -> bool:
    """Whether a block tells whoever feeds the net how to, though Caffe itself does nothing with it."""
    return type_ == "Input" and block == "transform_param"


def _says(block: Any) -> bool:
    """Whether a block sets anything to another value than it has anyway."""
    return any(
        _says(value) if hasattr(value, "ListFields") else value != field.default_value
        for field, value in block.ListFields()
    )


def lacks_what_it_has(layer: Layer, block: str) -> bool:
    """Does Caffe refuse the layer since what it needs is in that block? Then refused-by-caffe says so."""
    return layer.net.has_bvlc_dialect and (layer.index, block) in layer.net.once(_misplaced)


def _misplaced(net: Net) -> set[tuple[int, str]]:
    return {(layer.index, block) for one in net.refused() if (block := misplaced(one)) for layer in one.layers}
