"""What is drawn as one box: a layer, and those that only change its values on their way, such as BatchNorm and ReLU."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer


class Unit(NamedTuple):
    """Layers that are drawn as one box: the first, and its followers in order."""

    layers: tuple[BuiltLayer, ...]

    @property
    def first(self) -> BuiltLayer:
        return self.layers[0]

    @property
    def last(self) -> BuiltLayer:
        return self.layers[-1]


class Edge(NamedTuple):
    """A blob that one unit makes and another reads; both by their numbers. `layer` is the one that reads it."""

    source: int
    target: int
    blob: str
    layer: str


class Units(NamedTuple):
    """The units of a built net in Caffe's order, so each edge leads from a lower number to a higher one."""

    units: list[Unit]
    edges: list[Edge]


def units(built: BuiltNet) -> Units:
    """The units of a net, without the splits that Caffe inserts."""
    groups: list[list[BuiltLayer]] = []
    unit_of: dict[int, int] = {}
    for layer in built.layers:
        if layer.index is None:
            continue
        before = _followed(layer)
        number = unit_of.get(id(before)) if before is not None else None
        if number is None or groups[number][-1] is not before:
            number = len(groups)
            groups.append([])
        groups[number].append(layer)
        unit_of[id(layer)] = number
    edges: dict[Edge, None] = {}
    for group in groups:
        for layer in group:
            for blob in layer.bottoms:
                maker = blob.maker
                source = unit_of.get(id(maker)) if maker is not None else None
                target = unit_of[id(layer)]
                if source is not None and source != target:
                    edges[Edge(source, target, blob.original.name, layer.name)] = None
    return Units([Unit(tuple(group)) for group in groups], list(edges))


def _followed(layer: BuiltLayer) -> BuiltLayer | None:
    """The layer whose values this one changes, and which nobody else reads; None if it is to have its own box."""
    if len(layer.bottoms) != 1 or len(layer.tops) != 1:
        return None
    blob = layer.bottoms[0]
    maker = blob.maker
    if maker is None or len(maker.tops) != 1 or not maker.bottoms or len(blob.readers) != 1:
        return None
    if layer.runs_in_place or (layer.keeps_channels and layer.keeps_pixels and not layer.has_weights):
        return maker
    return None
