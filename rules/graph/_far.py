"""Rates and deviations that are far above those of all other layers."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.lint import Layer

FEWEST = 3
"""How many layers tell that another one is odd."""
BIAS, _FAR_BIAS = 1, 5
"""The param of the bias, and how many times the largest of the others is odd where the weights learn alike."""

Said = tuple[Layer, tuple[str | int, ...], float]
"""A layer, where its value is, and the value."""


def rate(layer: Layer) -> float:
    return layer.message.param[0].lr_mult if layer.message.param else 1.0


def odd_bias(layers: Sequence[Layer]) -> list[tuple[Said, Said]]:
    """The only layer whose bias learns so much faster, while its weights learn as fast as those of all others."""
    said = [
        (layer, ("param", BIAS, "lr_mult"), layer.message.param[BIAS].lr_mult)
        for layer in layers
        if len(layer.message.param) > BIAS
    ]
    return farthest(said, _FAR_BIAS) if len({rate(layer) for layer, _, _ in said}) == 1 else []


def deviations(layers: Sequence[Layer]) -> list[Said]:
    said = ((layer, path, filler) for layer in layers for path, filler in layer.fillers() if filler.HasField("std"))
    dense = (one for one in said if one[1][-1] == "weight_filler" and one[2].type == "gaussian" and one[2].sparse < 0)
    return [(layer, (*path, "std"), filler.std) for layer, path, filler in dense]


def farthest(said: Sequence[Said], far: float) -> list[tuple[Said, Said]]:
    """The layer whose value is so many times that of every other one, and the next one."""
    if len(said) < FEWEST:
        return []
    *_, second, first = sorted(said, key=lambda one: one[2])
    return [(first, second)] if 0 < second[2] <= first[2] / far else []
