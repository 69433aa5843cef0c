"""Layers that score the boxes which another layer beside them makes."""

from __future__ import annotations

from caffelint.lint.built import BuiltLayer

_BOX = 4
"""Numbers that tell a box."""


def boxes_beside(maker: BuiltLayer) -> tuple[BuiltLayer, int] | None:
    """The first layer of a type that reads what another one reads and may make boxes, and how many."""
    for layer, _ in maker.bottoms[0].original.readers if maker.bottoms else ():
        if layer is not maker and layer.index is not None and layer.type == maker.type:
            boxes, rest = divmod(layer.parameters.num_output, _BOX)
            if boxes and not rest:
                return layer, boxes
    return None
