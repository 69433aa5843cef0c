"""Python layers: what is known of their tops, and the check for nan and inf that `caffelint patch` puts into a net."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from caffelint.caffe.layers.base import AT_LEAST_ONE, EXACT, BuiltLayer
from caffelint.caffe.shapes import Shape
from caffelint.caffe.values import Values
from caffelint.project.dimensions import WHOLE, Dimension, TopShapes

FINITE_CHECK = "checkFiniteLayer"
PythonShapes = Mapping[int | None, TopShapes]
"""What the code of Python layers tells of their tops, by the index of the layer."""
NO_SHAPES: PythonShapes = MappingProxyType({})


def shape_tops(layer: BuiltLayer, told: PythonShapes, bottoms: Sequence[Shape | None]) -> None:
    """Give the tops of a Python layer the shapes that its code gives them."""
    for number, dimensions in told.get(layer.index, {}).items():
        if number < len(layer.tops) and layer.tops[number].shape is None:
            layer.tops[number].shape = shape_of(dimensions, bottoms)


def shape_of(dimensions: Sequence[Dimension], bottoms: Sequence[Shape | None]) -> Shape | None:
    """The shape of a top with these dimensions; None where that of a bottom is unknown or has no such axis."""
    found: list[int] = []
    for dimension in dimensions:
        if isinstance(dimension, int):
            found.append(dimension)
            continue
        shape = bottoms[dimension.bottom] if dimension.bottom < len(bottoms) else None
        if shape is None or dimension.axis >= len(shape):
            return None
        found += shape if dimension.axis == WHOLE else [shape[dimension.axis]]
    return tuple(found) if all(size > 0 for size in found) else None


class FiniteCheck(BuiltLayer):
    """check_finite_layer.py: reads its blobs in place, and changes nothing."""

    bottom_counts = AT_LEAST_ONE
    top_counts = AT_LEAST_ONE
    in_place: str = EXACT

    @property
    def runs_in_place(self) -> bool:
        """It overwrites nothing, so it spoils nothing."""
        return False

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        return list(bottoms)

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        return list(bottoms)

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return bottoms


def is_finite_check(message: Any) -> bool:
    """Is a LayerParameter such a check? Only where each of its tops is the bottom of the same number."""
    return (
        message.type == "Python"
        and message.python_param.layer == FINITE_CHECK
        and list(message.bottom) == list(message.top)
    )
