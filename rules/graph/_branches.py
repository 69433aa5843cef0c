"""The branches of a net that a loss compares, each with what it has for itself."""

from __future__ import annotations

import re

from caffelint.lint import TRAIN, Layer, NamedTuple, compiled_later

from ._layer_params import parameters

_MOST = 1000
"""Layers of a branch."""
_DIGITS = compiled_later(r"[0-9]+")
_ROLES = compiled_later(
    r"[0-9]+|_?(?:anchor|pos(?:itive)?|neg(?:ative)?|pair|left|right)_?|_[a-z](?![a-z])", re.IGNORECASE
)
"""What tells the images of a pair or a triplet apart, in the names of their blobs."""


class Branch(NamedTuple):
    """The layers that lead to a bottom of a loss and to no other of its bottoms, from the data on; without those that
    read data.

    `sources`: those that make what it reads, with the numbers of these tops.
    """

    layers: list[Layer]
    sources: list[tuple[Layer, int]]

    def pairs(self, other: Branch) -> list[tuple[Layer, Layer]]:
        return [*zip(self.layers, other.layers, strict=True)]

    def is_like(self, other: Branch) -> bool:
        """Are the layers of both the same, and do both read the same kind of thing, but not the very same?"""
        if not self.layers or len(self.layers) != len(other.layers) or len(self.sources) != len(other.sources):
            return False
        mine, theirs = self.sources, other.sources
        if {*mine} & {*theirs} or [one.type for one, _ in mine] != [one.type for one, _ in theirs]:
            return False
        # Maps of two depths are not meant to be alike.
        if any(one.bottoms and len(one.tops) == 1 for one, _ in mine):
            return False
        return all(one.type == two.type and parameters(one) == parameters(two) for one, two in self.pairs(other))

    def is_of_one_source(self, other: Branch) -> bool:
        """Do both read parts of one blob, or blobs of one data layer whose names tell of the same kind of thing?"""
        return all(
            one is two and (one.bottoms or _ROLES.sub("", one.tops[first]) == _ROLES.sub("", two.tops[second]))
            for (one, first), (two, second) in zip(self.sources, other.sources, strict=True)
        )

    def has_sources_like(self, other: Branch) -> bool:
        """Do the paths of what both read differ in digits only?"""
        mine, theirs = ([_source(one) for one, _ in branch.sources] for branch in (self, other))
        return all(mine) and mine == theirs


def branches(loss: Layer) -> list[Branch]:
    """Of each bottom of a loss, in training."""
    above = [_above(loss, bottom) for bottom in range(len(loss.bottoms))]
    found: list[Branch] = []
    for number, layers in enumerate(above):
        common = {layer for other, made in enumerate(above) if other != number for layer in made}
        own = sorted(layers - common, key=lambda layer: layer.index)
        inner = [layer for layer in own if layer.bottoms]
        known = set(inner)
        made_by = (layer.maker(bottom, TRAIN) for layer in inner for bottom in range(len(layer.bottoms)))
        outer = dict.fromkeys((made.layer, made.top) for made in made_by if made and made.layer not in known)
        found.append(Branch(inner, [*outer]))
    return found


def _above(loss: Layer, bottom: int) -> set[Layer]:
    """The layers that a bottom depends on."""
    found: set[Layer] = set()
    made = loss.maker(bottom, TRAIN)
    left = [made.layer] if made else []
    while left and len(found) < _MOST:
        layer = left.pop()
        if layer not in found:
            found.add(layer)
            makers = (layer.maker(number, TRAIN) for number in range(len(layer.bottoms)))
            left += [one.layer for one in makers if one]
    return found


def _source(layer: Layer) -> str:
    """What it reads, with its digits left open; empty where its text has no such field."""
    block = layer.kind.block
    source = getattr(getattr(layer.message, block), "source", "") if block else ""
    return _DIGITS.sub("#", source) if isinstance(source, str) else ""
