"""The fillers of a layer, and whether a net starts from them."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from caffelint.lint import Layer, Net, compiled_later, quoted
from caffelint.lint.built import types_that

WEIGHTED = types_that(lambda kind: kind.has_weights)
"""Types whose weights must differ from each other."""

FILLED = types_that(lambda kind: kind.fillers)

_FAR = 32
"""How many layers that only pass on what they read are looked through for a ReLU."""

_NAMED = compiled_later(r"[\"'](msra|xavier)[\"']")

MANY = 5
"""Nobody trains so many layers from scratch without a filler; nets made for loaded weights have none."""


def blocks_with_weights(net: Net) -> list[tuple[Layer, Any]]:
    """The layers with weights, each with its block. Caffe refuses a layer without it."""
    return net.blocks_of(WEIGHTED)


def random_filler(layer: Layer) -> list[tuple[str, str]]:
    """The fields of a filler: the one that the net's text names, else msra before a ReLU and xavier otherwise."""
    named = layer.net.once(_named)
    if len(named) == 1:
        return [("type", quoted(*named))]
    above, blobs = layer.index, set(layer.tops)
    for _ in range(_FAR):
        reader = min(filter(None, [_reader(layer.net, blob, above) for blob in blobs]), key=_index, default=None)
        if reader is None:
            break
        if reader.kind.rectifies:
            return [("type", '"msra"')]
        if reader.kind.has_weights or not reader.kind.keeps_pixels:
            break
        above = reader.index
        blobs |= set(reader.tops)
    return [("type", '"xavier"')]


def is_last(layer: Layer) -> bool:
    """Whether what the layer makes gets to a loss without other weights, so that each output has its own gradient."""
    return not layer.net.once(_read_by_losses).isdisjoint(layer.tops)


def in_a_row(net: Net, empty: list[Layer]) -> bool:
    """Does one of these layers of zeros read what another one has made?

    Then no weight of them gets a gradient. A single one gets it at once: its own does not depend on its weights.
    """
    zeros = {layer.index for layer in empty}
    behind: set[str] = set()
    for layer in net.layers:
        reads = not behind.isdisjoint(layer.bottoms)
        if reads and layer.index in zeros:
            return True
        if reads or layer.index in zeros:
            behind.update(layer.tops)
    return False


def _named(net: Net) -> frozenset[str]:
    """The random fillers that the text of the net names."""
    return frozenset(_NAMED.findall(net.document.source.text))


def _readers(net: Net) -> dict[str, list[Layer]]:
    """The layers that read each blob, in the order of the text."""
    readers: dict[str, list[Layer]] = {}
    for layer in net.layers:
        for blob in dict.fromkeys(layer.bottoms):
            readers.setdefault(blob, []).append(layer)
    return readers


def _reader(net: Net, blob: str, above: int) -> Layer | None:
    """The first layer after that index which reads a blob."""
    readers = net.once(_readers).get(blob, [])
    first = bisect_right(readers, above, key=_index)
    return readers[first] if first < len(readers) else None


def first_reader(layer: Layer) -> Layer | None:
    """The first layer that reads what a layer makes."""
    return _reader(layer.net, layer.tops[0], layer.index) if layer.tops else None


def _read_by_losses(net: Net) -> frozenset[str]:
    """The blobs that lead to a loss through layers that only cut, move or add to them."""
    found: set[str] = set()
    for layer in reversed(net.layers):
        kind = layer.kind
        if kind.looks_like_a_loss or not (kind.has_weights or kind.is_activation or found.isdisjoint(layer.tops)):
            found.update(layer.bottoms)
    return frozenset(found)


def _index(layer: Layer) -> int:
    return layer.index
