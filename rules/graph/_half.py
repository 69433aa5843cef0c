"""Layers of which the bias alone is learned."""

from __future__ import annotations

from caffelint.lint import TRAIN, Edits, Layer, Net, insert_before

_LEAST = 4
"""How many other layers have to learn both their weights and their bias, or neither."""


def is_by_half(layer: Layer) -> bool:
    """Is its bias learned by default, while its weights are frozen?"""
    specs = layer.message.param
    alone = len(specs) == 1 and layer.kind.param_count == 2 and not layer.kind.upsamples
    return bool(alone and TRAIN in layer.phases and specs[0].lr_mult == 0 and not specs[0].name)


def the_only_one(net: Net) -> Layer | None:
    """The only layer that learns its bias and not its weights, where others learn both, or neither."""
    weighted = net.layers_that(lambda kind: kind.has_weights)
    layers = [layer for layer in weighted if layer.kind.param_count == 2 and TRAIN in layer.phases]
    rates = [[spec.lr_mult for spec in layer.message.param] for layer in layers]
    odd = [layer for layer, own in zip(layers, rates, strict=True) if len(own) == 2 and own[1] > own[0] == 0]
    others = sum(len(own) == 2 and bool(own[0]) == bool(own[1]) for own in rates)
    if len(odd) != 1 or others < _LEAST or others + 1 < len(layers) or odd[0].kind.upsamples:
        return None
    return None if any(spec.name for spec in odd[0].message.param) else odd[0]


def frozen_bias(layer: Layer) -> Edits:
    """One more param; in a list, an item has no name."""
    first = layer.at("param", 0)
    return (insert_before(first, "param { lr_mult: 0 } " if first.text.startswith("param") else "{ lr_mult: 0 }, "),)
