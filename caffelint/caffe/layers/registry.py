"""Which class answers for which layer type."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffelint.caffe.layers.base import BuiltLayer

REGISTRY: dict[str, type[BuiltLayer]] = {}


def register(layer_class: type[BuiltLayer]) -> type[BuiltLayer]:
    """Class decorator: make the class answer for its types."""
    for name in layer_class.types:
        REGISTRY[name] = layer_class
    return layer_class
