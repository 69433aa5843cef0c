"""Which layers of a net stay for deployment: those that lead from data to what the net predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from caffelint.caffe.net_parts import Blob, makers_of

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.layers import BuiltLayer


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
    certain, learned = _learned(built, certain=True), _learned(built, certain=False)
    predictions: dict[Blob, None] = {}
    endings: dict[str, tuple[Blob, str]] = {}
    for layer in built.layers:
        if not _compares(layer):
            continue
        compared = [blob.original for blob in layer.bottoms]
        scores = [blob for blob in compared if blob in certain] or [blob for blob in compared if blob in learned]
        if not learned:
            scores = compared[:1]
        predictions |= dict.fromkeys(scores)
        if layer.plain_form and scores:
            endings.setdefault(scores[0].name, (scores[0], layer.plain_form))
    for name in built.outputs:
        blob = built.blobs[name].original
        if blob.producer is None or _compares(blob.producer) or makes_data(blob.producer):
            continue
        if blob in learned or not learned:
            predictions[blob] = None
    needed = set(makers_of(predictions))
    layers = [layer for layer in built.layers if layer in needed]
    read = [*(blob.original for layer in layers for blob in layer.bottoms), *predictions]
    inputs = dict.fromkeys(blob for blob in read if blob.producer is not None and makes_data(blob.producer))
    plain = {(reader.type, blob.name) for blob in predictions for reader, _ in blob.readers if reader in needed}
    return Kept(
        frozenset(layer.index for layer in layers if layer.index is not None and not makes_data(layer)),
        tuple(inputs),
        tuple(one for one in endings.values() if (one[1], one[0].name) not in plain),
        tuple(dict.fromkeys(blob.name for blob in predictions)),
    )


def _compares(layer: BuiltLayer) -> bool:
    """Is it a loss, or does it measure one: nothing that a deployed net has?"""
    if layer.plain_form is not None or any(layer.loss_weights) or layer.type == "Silence":
        return True
    return layer.looks_like_a_loss or layer.looks_like_a_measure


def makes_data(layer: BuiltLayer) -> bool:
    """Is it what reads the data, or, of a type that nobody knows, what reads nothing in the net?"""
    return bool(layer.is_data) or (layer.is_data is None and not layer.bottoms)


def _learned(built: BuiltNet, certain: bool) -> set[Blob]:
    """The blobs with a layer above them that has weights; or that may have, if that need not be certain."""
    found: set[Blob] = set()
    for layer in built.layers:
        may = layer.params is None and not certain and not makes_data(layer)
        if layer.params or may or any(blob in found for blob in layer.bottoms):
            found.update(layer.tops)
    return found
