"""The matrix H of an InfogainLoss that runs."""

from __future__ import annotations

from caffelint.caffe.layers import BuiltLayer
from caffelint.evidence.data.gains import Matrix, matrix_of


def matrix(layer: BuiltLayer) -> Matrix | None:
    """H from the file of an InfogainLoss; None where it cannot be read, or another layer brings it."""
    if layer.type != "InfogainLoss" or len(layer.bottoms) > 2:
        return None
    return matrix_of(layer.message.infogain_loss_param.source)
