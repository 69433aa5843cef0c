"""The one Python layer whose code is known: the check for nan and inf that `caffelint patch` puts into a net."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caffelint.caffe.layers.base import AT_LEAST_ONE, EXACT, BuiltLayer
from caffelint.caffe.shapes import Shape
from caffelint.caffe.values import Values

FINITE_CHECK = "checkFiniteLayer"


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
