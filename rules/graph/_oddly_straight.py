"""What tells whether a layer that goes on to no activation is one that lost it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from caffelint.lint import Layer, compiled_later
from caffelint.lint.built import BuiltLayer, layer_class

from ._odd import LEAST, family

_COMMENTED = compiled_later(r"^[ \t]*#[^\n]{0,200}?\btype[ \t]*:[ \t]*\"?(\w{1,50})", re.MULTILINE)
"""The type of a layer that is commented out."""


def families(layers: Iterable[BuiltLayer]) -> Mapping[str, int]:
    """How many layers are named alike but for numbers."""
    return Counter(family(layer.name) for layer in layers)


def is_family_without(
    first: BuiltLayer,
    second: BuiltLayer,
    sums: Mapping[str, int],
    bent: Collection[BuiltLayer],
    bends: Mapping[str, int],
) -> bool:
    """Do several layers that are named like the first but for numbers, the second aside, all go on to no activation?

    So does the decoder of SegNet. sums, bends: `families` of all, and of those that go on to one, which are `bent`.
    """
    name = family(first.name)
    is_kin = family(second.name) == name
    return sums[name] - is_kin > 1 and bends[name] == (is_kin and second in bent)


def is_odd(layer: BuiltLayer, second: BuiltLayer, bent: Collection[BuiltLayer]) -> bool:
    """Do all layers that are named like one but for their numbers go on to an activation, and is it no bottleneck?"""
    outputs, shape = layer.parameters.num_output, layer.bottoms[0].shape if layer.bottoms else None
    inputs = shape[1] if shape and len(shape) > 1 else None
    if outputs < second.parameters.num_output and (inputs is None or outputs < inputs):
        return False
    return sum(one.type == layer.type and family(one.name) == family(layer.name) for one in bent) >= LEAST


def was_taken_out(first: Layer, second: Layer) -> bool:
    """Is an activation commented out between two layers?"""
    if first.node is None or second.node is None:
        return False
    between = second.at().document.source.text[first.node.end : second.node.start]
    return any(layer_class(type_).is_activation for type_ in _COMMENTED.findall(between))
