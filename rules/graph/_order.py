"""Layers between two others that follow each other the other way round in the net that was trained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from caffelint.lint import TEST, Layer, NamedTuple, Net

from ._compared import Parameters, layers_in, parameters_of

_LONGEST = 8
"""Layers between two with weights; there are no more but in texts that somebody made up."""

_FEWEST, _SHARE = 3, 0.5
"""Layers with weights that two nets must have alike to be one, and their share: others may have become convolutions."""

_MAX = 0
_LRN = "LRN"
"""It leaves the scale, so it is no normalisation, but divides each value by its neighbours."""


class Swapped(NamedTuple):
    """`first` comes before `then`, where training has the two the other way round."""

    first: Layer
    then: Layer


def trained_with(net: Net) -> list[Net]:
    """The nets that solvers train beside a net that is run, with layers of weights like its own.

    More of them than for a net that has all of its layers: those that were full may be convolutions, by other names.
    """
    beside = [other for other in net.siblings if other.is_trained and other.solvers and not other.document.breaks_off]
    if not beside or net.solvers or net.is_trained:
        return []
    mine = layers_in(net, TEST)
    said = parameters_of({name: layer for name, layer in mine.items() if layer.kind.shaped_by})
    return [other for other in beside if said and _is_like(said, mine, other)]


def _is_like(said: Parameters, mine: dict[str, Layer], other: Net) -> bool:
    theirs = layers_in(other, TEST)
    both = {name: theirs[name] for name in said if name in theirs and theirs[name].type == mine[name].type}
    alike = sum(said[name] == parameters for name, parameters in parameters_of(both).items())
    return alike >= max(_FEWEST, len(both) - 1, _SHARE * len(said))


def swapped(net: Net, trained: Sequence[Net]) -> list[Swapped]:
    """The layers of a net that all of the trained ones have in another order, so that something else comes out."""
    theirs = [layers_in(other, TEST) for other in trained]
    found: dict[str, Swapped] = {}
    for name, layer in layers_in(net, TEST).items():
        if layer.kind.shaped_by and all(name in layers and layers[name].type == layer.type for layers in theirs):
            here = passed(layer)
            there = [passed(layers[name]) for layers in theirs]
            if len(here) > 2 and (first := _first_swapped(here, there)):
                found.setdefault(first.first.name, first)
    return list(found.values())


def is_ordered_alike(net: Net, trained: Net, pairs: Iterable[Swapped]) -> bool:
    """Has a net the layers of these pairs in the order of the trained one?"""
    return not swapped(net, [trained]) and all(
        {one.name for one in pair} <= layers_in(net, TEST).keys() for pair in pairs
    )


def are_same_between(layer: Layer, twin: Layer) -> bool:
    """Are the layers between two layers of one name and what makes their first bottoms the same, in any order?"""
    return _is_same(passed(layer), passed(twin))


def passed(layer: Layer) -> list[Layer]:
    """What makes the first bottom of a layer, and the layers in between, the nearest last; empty where unknown."""
    passed: list[Layer] = []
    while len(passed) < _LONGEST:
        source = layer.maker(0, TEST)
        if source is None:
            return []
        layer = source.layer
        passed.insert(0, layer)
        if len(layer.bottoms) != 1 or layer.kind.shaped_by or not layer.kind.keeps_channels:
            return passed
    return []


def _is_same(here: Sequence[Layer], there: Sequence[Layer]) -> bool:
    """The first one is what both read: data, by whatever type it comes, or a layer with weights."""
    if not here or not there or here[0].name != there[0].name:
        return False
    types = [{layer.name: layer.type for layer in passed[1:]} for passed in (here, there)]
    return types[0] == types[1]


def _first_swapped(here: Sequence[Layer], there: Sequence[Sequence[Layer]]) -> Swapped | None:
    if not all(_is_same(here, passed) for passed in there):
        return None
    for first, then in ((one, other) for place, one in enumerate(here[1:], 1) for other in here[place + 1 :]):
        if _depends_on_order(first, then):
            places = [[layer.name for layer in passed] for passed in there]
            if all(names.index(first.name) > names.index(then.name) for names in places):
                return Swapped(first, then)
    return None


def _depends_on_order(one: Layer, other: Layer) -> bool:
    """Is it sure that the two give other values in the other order?

    A mean or maximum commutes with what only scales a channel up, and a maximum with what only rises.
    """
    return _is_sure(one, other) or _is_sure(other, one)


def _is_sure(one: Layer, other: Layer) -> bool:
    if one.type == _LRN or one.kind.normalises and not one.kind.keeps_statistics:  # by other values that it reads
        return bool(other.kind.pools or other.kind.is_activation)
    if one.kind.is_activation:
        is_mean = other.kind.pools and other.param("pooling_param").pool != _MAX
        return bool(is_mean or other.kind.keeps_statistics or other.kind.is_linear)
    return False
