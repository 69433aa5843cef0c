"""Layers of which the bias alone is learned."""

from __future__ import annotations

from caffelint.lint import TRAIN, Edits, Layer, Net, insert_before

_LEAST = 4
"""How many other layers have to learn both their weights and their bias, or neither."""


def left_learning(layer: Layer) -> int:
    """How many of its parameters are learned by default, while those with a `param` are frozen; 0 if none is."""
    specs, kind = layer.message.param, layer.kind
    count = kind.param_count or 0
    if TRAIN not in layer.phases or kind.upsamples or not (count == 2 or kind.is_recurrent) or not specs:
        return 0
    frozen = not any(spec.lr_mult or spec.name for spec in specs)
    return max(count - len(specs), 0) if frozen else 0


def by_half(layers: list[Layer]) -> str:
    """What goes on learning in layers of one kind, and what to add."""
    number, more = len(layers[0].message.param), left_learning(layers[0])
    if layers[0].kind.is_recurrent:
        alone = f"{number} of its {number + more} parameters, so the others go"
        return f"lr_mult is 0 for {alone} on learning; add {more} more param {{ lr_mult: 0 }}"
    alone = "its weights alone, so its bias goes" if len(layers) == 1 else "their weights alone, so biases go"
    return f"lr_mult is 0 for {alone} on learning; add a second param {{ lr_mult: 0 }}"


def keeps_another(net: Net, found: list[Layer]) -> bool:
    """Does the net freeze a layer that computes, so that it means to keep what it has learned?"""
    kept = (layer for layer in net.layers_that(lambda kind: kind.has_weights) if layer.type != "Scale")
    return any(layer in found or layer.kind.learns is False for layer in kept)


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


def frozen(layer: Layer) -> Edits:
    """One more param for each that learns; in a list, an item has no name."""
    first = layer.at("param", 0)
    one = "param { lr_mult: 0 } " if first.text.startswith("param") else "{ lr_mult: 0 }, "
    return (insert_before(first, one * left_learning(layer)),)
