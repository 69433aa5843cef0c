"""Which blobs are labels, and how many classes they may name."""

from __future__ import annotations

from caffelint.smoke.rule import Blob, BuiltLayer

CLASSES = frozenset(["SoftmaxWithLoss", "InfogainLoss", "MultinomialLogisticLoss", "HingeLoss"])


def classes(layer: BuiltLayer) -> int | None:
    """Of a loss over classes."""
    scores = layer.bottoms[0].shape
    axis = 1
    if layer.type == "SoftmaxWithLoss":
        axis = layer.message.softmax_param.axis
    elif layer.type == "InfogainLoss":
        axis = layer.message.infogain_loss_param.axis
    return scores[axis] if scores and -len(scores) <= axis < len(scores) else None


def source(blob: Blob) -> str:
    """The name of the blob, or of the one that it is a copy of."""
    while blob.producer is not None and blob.producer.type == "Split":
        blob = blob.producer.bottoms[0]
    return blob.name
