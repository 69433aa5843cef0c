"""Blobs that hold the same values because they are computed of the same ones, by layers that share their parameters."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from caffelint.lint import NamedTuple
from caffelint.lint.built import Blob, BuiltLayer, BuiltNet, computed_by


class Doubled(NamedTuple):
    """A loss that compares the results of two branches of the same values.

    first, again: the layers with weights that both begin with. unread: what `again` may have been meant to read, a
    result of the same data layer that no layer but a Silence reads; None if there is none.
    """

    loss: BuiltLayer
    first: BuiltLayer
    again: BuiltLayer
    unread: Blob | None


def doubled(net: BuiltNet) -> Iterator[Doubled]:
    """The losses whose first two bottoms are two blobs of the same values."""
    made: dict[Hashable, BuiltLayer] = {}
    same: dict[BuiltLayer, BuiltLayer] = {}
    for layer in net.layers:
        if (key := computes(layer, same)) is not None:
            first = made.setdefault(key, layer)
            if first is not layer:
                same[layer] = first
    for loss in net.layers if same else ():
        makers = [blob.maker for blob in loss.bottoms[:2]]
        if not loss.is_loss or None in makers or makers[0] is makers[1] or makers[0] != same.get(makers[1] or loss):
            continue
        again = [one for one in reversed(loss.bottoms[1].depends_on) if one in same and one.has_weights]
        if again:
            yield Doubled(loss, same[again[0]], again[0], _unread(again[0]))


def computes(layer: BuiltLayer, same: dict[BuiltLayer, BuiltLayer]) -> Hashable:
    """What the output depends on, where that is known and none of its parameters is its own; else None.

    same: for layers that are known to compute what another one does, that other one.
    """
    names = tuple(param.name for param in layer.message.param) if layer.message is not None else ()
    number = layer.param_count if layer.params is None else len(layer.params)
    if len(names) != number or not all(names) or not layer.computes_by or not layer.bottoms:
        return None
    read = []
    for blob in layer.bottoms:
        if blob.maker is None:
            return None
        read.append((same.get(blob.maker, blob.maker), blob.original.top))
    return layer.type, names, tuple(read), tuple(computed_by(layer).items())


def _unread(layer: BuiltLayer) -> Blob | None:
    data = layer.bottoms[0].maker
    beside = data.tops if data is not None and not data.bottoms else ()
    for blob in beside:
        if all(reader.type == "Silence" for reader, _ in blob.readers) and blob.shape == layer.bottoms[0].shape:
            return blob
    return None
