"""Layers with weights, and the activations between them and the ones before."""

from __future__ import annotations

from caffelint.lint import TEST, Layer, NamedTuple, Net

from ._order import passed


class Bent(NamedTuple):
    """A layer with weights, the name of the one before it, and the activations between the two."""

    layer: Layer
    first: str
    bends: list[Layer]


def bending(layer: Layer) -> Bent | None:
    """None where it reads data, or a layer in between may bend values or not."""
    first, *between = passed(layer) or [layer]
    if first is layer or not first.kind.shaped_by or not all(one.kind.known for one in between):
        return None
    return Bent(layer, first.name, [one for one in between if one.kind.is_activation])


def after_weights(net: Net) -> dict[tuple[str, str], list[Bent]]:
    """The layers with weights by the name of the one before, and their type."""
    found: dict[tuple[str, str], list[Bent]] = {}
    for layer in net.in_phase(TEST):
        if layer.kind.shaped_by and (one := bending(layer)):
            found.setdefault((one.first, layer.type), []).append(one)
    return found
