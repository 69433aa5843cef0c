"""Layers with weights, and the activations between them and the ones before."""

from __future__ import annotations

from caffelint.lint import TEST, Layer, NamedTuple, Net

from ._order import passed, trained_with
from ._partner import training_nets

_MOST = 3
"""Nets that may have trained one, and layers that may differ: of more, it is another design."""


class Bent(NamedTuple):
    """A layer with weights, the name of the one before it, and the activations between the two."""

    layer: Layer
    first: str
    bends: list[Layer]


def _bending(layer: Layer) -> Bent | None:
    """None where it reads data, or a layer in between may bend values or not."""
    first, *between = passed(layer) or [layer]
    if first is layer or not first.kind.shaped_by or not all(one.kind.known for one in between):
        return None
    return Bent(layer, first.name, [one for one in between if one.kind.is_activation])


def _after_weights(net: Net) -> dict[tuple[str, str], list[Bent]]:
    """The layers with weights by the name of the one before, and their type."""
    found: dict[tuple[str, str], list[Bent]] = {}
    for layer in net.in_phase(TEST):
        if layer.kind.shaped_by and (one := _bending(layer)):
            found.setdefault((one.first, layer.type), []).append(one)
    return found


def bent_otherwise(net: Net) -> list[tuple[Bent, Bent]]:
    """Where only one of a deploy net and its training net has an activation between two layers with weights: each of
    the first with that of the other, for which there is no other choice.
    """
    trainers = [one.net for one in net.once(training_nets) if one.is_close] or trained_with(net)
    if not 0 < len(trainers) <= _MOST:
        return []
    found = []
    for layer in net.in_phase(TEST):
        here = _bending(layer) if layer.kind.shaped_by else None
        there = [other.once(_after_weights).get((here.first, layer.type), []) for other in trainers] if here else []
        # A new head has another name than the one that it takes the place of.
        called = [[one for one in some if one.layer.name == layer.name] or some for some in there]
        if here and all(len(some) == 1 and bool(some[0].bends) != bool(here.bends) for some in called):
            found.append((here, called[0][0]))
    return found if len(found) <= _MOST else []
