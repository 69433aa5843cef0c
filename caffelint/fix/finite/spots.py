"""Where a check can be inserted: after each blob and all in-place layers on it, but never on a loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from caffelint.caffe.layers import REGISTRY, UnknownLayer
from caffelint.caffe.net import Layer, Net
from caffelint.text.tree import LIST, MESSAGE, Field

_NET_INPUT = ("input", "input_shape", "input_dim")


class Spot:
    """A blob of one layer, and what a check of it needs.

    makers: the layer whose top it is, and the in-place layers on it, in the order of the text. readers: the layers that
    read it after them. after: the block or field of the text that the check follows. loss: why a plain check must not
    read it, empty if it may. weight: its loss weight, None if it has none or if that is unknown.
    """

    def __init__(self, layer: Layer, top: int, written: Field):
        self.layer = layer
        self.top = top
        self.blob = layer.tops[top]
        self.written = written
        self.makers = [layer]
        self.readers: list[Layer] = []
        self.after = block_of(layer)
        self.loss = ""
        self.weight: float | None = None

    @property
    def rules(self) -> list[Field]:
        """The include and exclude rules of the layer, which the check takes over."""
        node = block_of(self.layer)
        rules = [node.first(name) for name in ("include", "exclude")] if node else []
        if node is None or not any(rules):
            return []
        return [field for field in node.fields if field.name in ("include", "exclude")]


def block_of(layer: Layer) -> Field | None:
    """The layer's own block; None for the layer that Caffe makes of a net's `input` fields."""
    return layer.node if layer.node and layer.node.name == "layer" else None


def spots(net: Net) -> list[Spot]:
    """All spots of a net, in the order of the text, except tops that have no place in it (`input: ` after layers)."""
    readers: dict[str, list[Layer]] = {}
    for layer in net.layers:
        for blob in dict.fromkeys(layer.bottoms):
            readers.setdefault(blob, []).append(layer)
    last_input = _last_input(net)
    return [spot for layer in net.layers for spot in _spots_of(layer, net, readers, last_input)]


def _spots_of(
    layer: Layer, net: Net, readers: Mapping[str, Sequence[Layer]], last_input: Field | None
) -> Iterator[Spot]:
    """`readers`: the layers that read each blob. `last_input`: of the fields that give the net its inputs."""
    node = block_of(layer)
    written = node.all("top") if node else net.document.root.all("input")
    seen = set(layer.bottoms)
    for top, blob in enumerate(layer.tops):
        if top >= len(written) or blob in seen:
            continue
        seen.add(blob)
        spot = Spot(layer, top, written[top])
        if node is None:
            spot.after = last_input
            if spot.after is None:
                continue
        _follow(spot, readers.get(blob, ()))
        spot.weight = _weight(layer, top)
        spot.loss = _loss(spot)
        yield spot


def _follow(spot: Spot, readers: Sequence[Layer]) -> None:
    """Find the in-place layers on the blob and its readers. After the first reader nothing may overwrite it."""
    phases = set(spot.layer.phases)
    for other in readers:
        if other.index > spot.layer.index and phases.intersection(other.phases):
            node = block_of(other)
            if spot.blob in other.tops and not spot.readers and node is not None:
                spot.makers.append(other)
                spot.after = node
            else:
                spot.readers.append(other)


def _last_input(net: Net) -> Field | None:
    """The last of the fields that give a net its inputs; None if a layer comes before it."""
    last = None
    for field in net.document.root.fields:
        if field.name in _NET_INPUT:
            last = field
        elif field.name == "layer" and last is None:
            return None
    layers = [layer for layer in net.document.root.all("layer") if layer.kind == MESSAGE]
    return last if last and layers and last.start < layers[0].start else None


def _weight(layer: Layer, top: int) -> float | None:
    """The loss weight of a top as Caffe sets it (layer.hpp, SetLossWeights; loss_layer.cpp, LayerSetUp)."""
    weights = list(layer.message.loss_weight)
    if weights:
        return weights[top] or None if top < len(weights) else None
    return 1.0 if REGISTRY.get(layer.type, UnknownLayer).is_loss else None


def _loss(spot: Spot) -> str:
    layer = spot.layer
    if spot.weight is not None:
        return "it is a loss, and Caffe drops the backward pass after a layer that reads a loss and is not one"
    for maker in spot.makers[1:]:
        if any(maker.message.loss_weight):
            return f'layer "{maker.name}" works on it in place and makes it a loss'
    if layer.type in REGISTRY or layer.message.loss_weight:
        if not spot.readers and len(layer.tops) > 1 and layer.bottoms:
            return "no layer reads it, and a check would count as a reader that needs no gradient"
        return ""
    if "Loss" in layer.type or not spot.readers:
        return f"it may be a loss: caffelint does not know what {layer.type or 'a layer without a type'} computes"
    return ""


def is_list(field: Field | None) -> bool:
    """Is it one item of a list (`layer: [{...}, {...}]`), after which nothing can be put as a block of its own?"""
    return field is None or (field.kind == MESSAGE and field.start == field.value_start) or field.kind == LIST
