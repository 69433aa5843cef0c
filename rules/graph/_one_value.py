"""Blobs of one value, which may be losses that lack a loss_weight."""

from __future__ import annotations

from math import prod

from caffelint.lint.built import Blob


def may_be_loss(blob: Blob) -> bool:
    """Is it one value with a gradient, which layers without weights make of more than one?

    The score of a net that reads one record at a time is one value as well.
    """
    while _is_one(blob):
        maker = blob.producer
        if maker is None or maker.params or not maker.has_backward or not maker.bottoms:
            return False
        if any(not _is_one(bottom) for bottom in maker.bottoms):
            return True
        blob = maker.bottoms[0]
    return False


def _is_one(blob: Blob) -> bool:
    return blob.shape is not None and prod(blob.shape) == 1
