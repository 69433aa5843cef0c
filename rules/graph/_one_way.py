"""Layers of two nets whose names differ in one way."""

from __future__ import annotations

from caffelint.lint import TEST, Layer

from ._sources import source_of


def are_renamed_in_one_way(renamed: list[tuple[Layer, Layer]]) -> bool:
    """Are all renamed alike, and does each lead on to others with weights, as those of a head do not?"""
    if len({_change(*pair) for pair in renamed}) != 1:
        return False
    net = renamed[0][0].net
    readers = [layer for layer in net.in_phase(TEST) if layer.kind.has_weights and layer.bottoms]
    inner = {source[0] for layer in readers if (source := source_of(layer, 0))}
    return all(layer.name in inner for layer, _ in renamed)


def _change(layer: Layer, twin: Layer) -> str:
    """What the one name has more than the other, at its ends; else the whole of it."""
    if twin.name in layer.name:
        return layer.name.replace(twin.name, "", 1)
    return twin.name.replace(layer.name, "\0", 1)
