"""Layers that need no training: their fillers give them all that they need."""

from __future__ import annotations

from caffelint.lint import Layer
from caffelint.lint.built import draws


def is_fixed(layer: Layer) -> bool:
    """Does it get from its fillers all that it needs?"""
    kind = layer.kind
    if kind.fillers and not kind.has_weights:
        return True
    if not (kind.is_linear or kind.has_weights and layer.has_frozen_weights):
        return False
    block = kind.parameters
    return bool(block.HasField("weight_filler") and not draws(block.weight_filler))
