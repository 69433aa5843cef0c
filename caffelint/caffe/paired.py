"""Losses whose scores and targets come from two data layers: the records of the two meet in pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer


class Paired(NamedTuple):
    """data: the one layer that the scores of the loss are made from. target: the layer that its targets come from."""

    loss: BuiltLayer
    data: BuiltLayer
    target: BuiltLayer


def paired(built: BuiltNet) -> Iterator[Paired]:
    """One for each loss that has two such layers."""
    for loss in built.layers:
        found = _paired(loss) if loss.is_loss and len(loss.bottoms) > 1 else None
        if found is not None:
            yield found


def _paired(loss: BuiltLayer) -> Paired | None:
    target = loss.bottoms[1].maker
    while target is not None and target.rearranges and len(target.bottoms) == 1:
        target = target.bottoms[0].maker
    makers = [layer for layer in loss.bottoms[0].depends_on if not layer.bottoms]
    if target is None or target.bottoms or not target.data_source or len(makers) != 1:
        return None
    (data,) = makers
    return Paired(loss, data, target) if data is not target and data.data_source else None
