"""Whether a layer learns from a whole that was parted, and that holds the labels."""

from __future__ import annotations

from caffelint.lint import TRAIN, Layer, NamedTuple, Net
from caffelint.lint.built import BuiltLayer


class Whole(NamedTuple):
    """The layer with weights that reads the whole, and the part of it that a loss compares with what the net gives."""

    reader: Layer
    labels: str


def parts(layer: BuiltLayer) -> bool:
    """Does it part a blob, so that each top holds what no other one does?"""
    return bool(layer.known and layer.rearranges and not layer.hands_on and len(layer.tops) > 1)


def reads_labels(slice_: Layer, part: str) -> Whole | None:
    """What reads the whole instead of a part that nothing reads.

    Where none of the other parts are labels, the part may be there only since a Slice leaves nothing out.
    """
    labels = slice_.net.once(_labels)
    cut = next((top for top in slice_.tops if top != part and top in labels), None)
    reader = slice_.net.once(_learners).get(slice_.bottoms[0])
    return Whole(reader, cut) if cut is not None and reader is not None and reader.index > slice_.index else None


def _labels(net: Net) -> set[str]:
    """What losses compare with what the net gives."""
    losses = (layer for layer in net.in_phase(TRAIN) if layer.kind.looks_like_a_loss)
    return {blob for loss in losses for blob in loss.bottoms[1:]}


def _learners(net: Net) -> dict[str, Layer]:
    """Of each blob the last layer with weights that reads it."""
    return {blob: layer for layer in net.in_phase(TRAIN) if layer.kind.has_weights for blob in layer.bottoms}
