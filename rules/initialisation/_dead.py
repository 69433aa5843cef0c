"""Layers of zeros that never learn."""

from __future__ import annotations

from collections.abc import Iterable

from caffelint.lint import TRAIN, Layer, Net
from caffelint.lint.built import BuiltLayer, Values

_ZEROS = Values(0, 0, zeros=True)


def dead_before_a_relu(net: Net, empty: Iterable[Layer]) -> list[Layer]:
    """Of layers whose weights are 0, those whose zeros only a ReLU reads, which returns no gradient for a 0."""
    made = {layer.index: layer for one in net.states() if one.phase == TRAIN for layer in one.layers}
    return [layer for layer in empty if (found := made.get(layer.index)) and _is_dead(found)]


def _is_dead(layer: BuiltLayer) -> bool:
    while _adds_nothing(layer) and len(layer.tops) == 1 and len(layer.tops[0].readers) == 1:
        layer = layer.tops[0].readers[0][0]
        if layer.is_activation:
            return bool(layer.flat_at_zero)
        if not layer.known or layer.fork or len(layer.bottoms) != 1 or not _keeps_zeros(layer):
            break
    return False


def _keeps_zeros(layer: BuiltLayer) -> bool:
    """Are the tops of a layer 0 where its bottom is, but for its own bias?"""
    if not layer.tops:
        return False
    values = layer.values([_ZEROS])[0]
    return bool(layer.normalises or layer.is_linear or values.low == values.high == 0)


def _adds_nothing(layer: BuiltLayer) -> bool:
    """Has a layer no bias, or one that starts at 0?"""
    if not getattr(layer.parameters, "bias_term", False):
        return True
    filler = layer.parameters.bias_filler
    return filler.type == "constant" and not filler.value
