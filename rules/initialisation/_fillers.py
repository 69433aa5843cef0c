"""The fillers of a layer, and whether a net starts from them."""

from __future__ import annotations

import re
from typing import Any

from caffelint.lint import Layer, Net, quoted
from caffelint.lint.built import types_that

WEIGHTED = types_that(lambda kind: kind.has_weights)
"""Types whose weights must differ from each other."""

FILLED = types_that(lambda kind: kind.fillers)

_NAMED = re.compile(r"[\"'](msra|xavier)[\"']")


def blocks_with_weights(net: Net) -> list[tuple[Layer, Any]]:
    """The layers with weights, each with its block. Caffe refuses a layer without it."""
    return net.blocks_of(WEIGHTED)


def random_filler(layer: Layer) -> list[tuple[str, str]]:
    """The fields of a filler: the one that the net's text names, else msra before a ReLU and xavier otherwise."""
    named = set(_NAMED.findall(layer.net.document.source.text))
    if len(named) == 1:
        return [("type", quoted(named.pop()))]
    tops = set(layer.tops)
    for other in layer.net.layers[layer.index + 1 :]:
        if tops & set(other.bottoms):
            if other.kind.rectifies:
                return [("type", '"msra"')]
            if other.kind.has_weights or not other.kind.keeps_pixels:
                break
            tops |= set(other.tops)
    return [("type", '"xavier"')]


def is_last(layer: Layer) -> bool:
    """Whether a loss reads the layer, so that each output has its own gradient."""
    return any(other.kind.looks_like_a_loss for other in layer.net.layers if set(layer.tops) & set(other.bottoms))
