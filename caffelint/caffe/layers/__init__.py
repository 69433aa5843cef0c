"""The layer types, one class each, found by name."""

from __future__ import annotations

from collections.abc import Callable

from caffelint.caffe.layers import (  # noqa: F401  (importing a family registers its types)
    arrange,
    concat,
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

__all__ = ["BVLC_TYPES", "REGISTRY", "BuiltLayer", "UnknownLayer", "layer_class", "types_that"]

# Python is known to Caffe, but what one does is in code that is never run here.
BVLC_TYPES = frozenset(name for name, found in REGISTRY.items() if not found.fork) | {"Python"}


def layer_class(layer_type: str) -> type[BuiltLayer]:
    """The class that answers for a type, or UnknownLayer."""
    return REGISTRY.get(layer_type, UnknownLayer)


def types_that(answer: Callable[[type[BuiltLayer]], object]) -> tuple[str, ...]:
    """The types whose class gives that answer, for a rule to subscribe to: `types_that(lambda kind: kind.is_loss)`."""
    return tuple(sorted(name for name, kind in REGISTRY.items() if answer(kind)))
