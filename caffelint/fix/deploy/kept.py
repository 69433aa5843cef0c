"""Which layers of a net stay for deployment: those that lead from data to what the net predicts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net_parts import Blob


class Kept(NamedTuple):
    """layers: by their places in the text, data and losses left out. inputs: the blobs that data layers made.
    endings: blobs of scores, each with the type of the layer that makes of them what their loss compares. outputs: the
    blobs that the net predicts.
    """

    layers: frozenset[int]
    inputs: tuple[Blob, ...]
    endings: tuple[tuple[Blob, str], ...]
    outputs: tuple[str, ...]


def kept(built: BuiltNet) -> Kept:
    """What stays of a net that was built for TEST."""
    learned = _learned(built)
    predictions: list[Blob] = []
    endings: dict[str, tuple[Blob, str]] = {}
    for layer in built.layers:
        if not _compares(layer):
            continue
        scores = [blob.original for blob in layer.bottoms if blob.original in learned]
        if not learned and layer.bottoms:
            scores = [layer.bottoms[0].original]
        predictions += scores
        if layer.plain_form and scores:
            endings.setdefault(scores[0].name, (scores[0], layer.plain_form))
    for name in built.outputs:
        blob = built.blobs[name].original
        if blob.producer is None or _compares(blob.producer) or blob.producer.is_data:
            continue
        if blob in learned or not learned:
            predictions.append(blob)
    layers = _ancestors(predictions)
    inputs = {blob: None for layer in layers for blob in _read(layer) if blob.producer and blob.producer.is_data}
    inputs |= {blob: None for blob in predictions if blob.producer is not None and blob.producer.is_data}
    plain = {(reader.type, blob.name) for blob in predictions for reader, _ in blob.readers if reader in layers}
    return Kept(
        frozenset(layer.index for layer in layers if layer.index is not None and not layer.is_data),
        tuple(inputs),
        tuple(one for one in endings.values() if (one[1], one[0].name) not in plain),
        tuple(dict.fromkeys(blob.name for blob in predictions)),
    )


def _compares(layer: BuiltLayer) -> bool:
    """Is it a loss, or does it measure one: nothing that a deployed net has?"""
    return bool(layer.plain_form is not None or any(layer.loss_weights) or layer.type == "Silence")


def _learned(built: BuiltNet) -> set[Blob]:
    """The blobs with a layer above them that has weights, or may have."""
    found: set[Blob] = set()
    for layer in built.layers:
        if layer.params is None or layer.params or any(blob in found for blob in layer.bottoms):
            found.update(layer.tops)
    return found


def _read(layer: BuiltLayer) -> Iterable[Blob]:
    return (blob.original for blob in layer.bottoms)


def _ancestors(blobs: Iterable[Blob]) -> dict[BuiltLayer, None]:
    found: dict[BuiltLayer, None] = {}
    waiting = [blob.producer for blob in blobs if blob.producer is not None]
    while waiting:
        layer = waiting.pop()
        if layer in found:
            continue
        found[layer] = None
        waiting += [blob.producer for blob in _read(layer) if blob.producer is not None]
    return found
