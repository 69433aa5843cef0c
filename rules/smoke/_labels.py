"""Which blobs hold labels, and of how many classes."""

from __future__ import annotations

from caffelint.smoke.rule import Blob, BuiltLayer


def classes(layer: BuiltLayer) -> int | None:
    """How many classes a loss has; None where it has none, or the shape of its scores is not known."""
    if not layer.is_loss or len(layer.bottoms) < 2 or not layer.reads_classes(1):
        return None
    scores, axis = layer.bottoms[0].shape, layer.class_axis
    return scores[axis] if scores and -len(scores) <= axis < len(scores) else None


def source(blob: Blob) -> str:
    """The name of the blob, or of the one that it is a copy of (a Split)."""
    while blob.producer is not None and blob.producer.type == "Split":
        blob = blob.producer.bottoms[0]
    return blob.name
