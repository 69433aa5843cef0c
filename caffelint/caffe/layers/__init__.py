"""The layer types, one class each, found by name."""

from __future__ import annotations

from caffelint.caffe.layers import (  # noqa: F401  (importing a family registers its types)
    arrange,
    convolution,
    data,
    detection,
    linear,
    loss,
    neuron,
    normalization,
    pooling,
    recurrent,
    reduce,
    resample,
    scale,
    volume,
)
from caffelint.caffe.layers.base import REGISTRY, BuiltLayer, UnknownLayer

__all__ = ["BVLC_TYPES", "REGISTRY", "BuiltLayer", "UnknownLayer", "layer_class"]

# Python is known to Caffe, but what one does stands in code that is never run here.
BVLC_TYPES = frozenset(name for name, found in REGISTRY.items() if not found.fork) | {"Python"}


def layer_class(layer_type: str) -> type[BuiltLayer]:
    """The class that answers for a type; UnknownLayer where there is none."""
    return REGISTRY.get(layer_type, UnknownLayer)
