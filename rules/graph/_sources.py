"""Which layer computes what another one reads, whatever only scales or bends it between the two."""

from __future__ import annotations

from collections.abc import Iterable

from caffelint.lint import TEST, Layer, Net


def source_of(layer: Layer, bottom: int) -> tuple[str, int] | None:
    """The layer that computes the values in the TEST phase, and the number of its top."""
    known = layer.net.once(_known_sources)
    passed = []
    found = None
    while (place := (layer.index, bottom)) not in known:
        passed.append(place)
        source = layer.maker(bottom, TEST)
        if source is None:
            break
        layer, bottom = source.layer, 0
        if len(layer.bottoms) != 1 or layer.kind.shaped_by or not layer.kind.keeps_channels:
            found = (layer.name, source.top)
            break
    else:
        found = known[place]
    known.update(dict.fromkeys(passed, found))
    return found


def _known_sources(net: Net) -> dict[tuple[int, int], tuple[str, int] | None]:
    """What `source_of` has found in a net, by the number of the layer and of its bottom."""
    return {}


def leaves_out(here: tuple[str, int], there: tuple[str, int], layer: Layer, twin: Layer) -> bool:
    """Does the layer read what a layer of weights reads in training, one that its own net does not have at all?"""
    if any(other.name == there[0] for other in layer.net.layers):
        return False
    between = [other for other in twin.net.in_phase(TEST) if other.name == there[0]]
    if len(between) != 1 or not between[0].kind.shaped_by or len(between[0].bottoms) != 1:
        return False
    return source_of(between[0], 0) == here


def in_both(names: Iterable[str], layer: Layer, twin: Layer) -> bool:
    """Do the nets of both have one layer of each of these names, of one type?"""
    for name in names:
        types = [[other.type for other in one.net.in_phase(TEST) if other.name == name] for one in (layer, twin)]
        if types[0] != types[1] or len(types[0]) != 1:
            return False
    return True
