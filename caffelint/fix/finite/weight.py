"""Moves the weight of a loss to the check on it, if Caffe then trains in the same way."""

from __future__ import annotations

import re
from typing import NamedTuple

from caffelint.caffe.net import TRAIN
from caffelint.fix.finite.remove import ADDED, MOVED, Cut
from caffelint.fix.finite.spots import Spot, block_of


class Moved(NamedTuple):
    """The change of a loss layer whose weight moves to its check: how, the weight as written, and the cut."""

    how: str
    weight: str
    cut: Cut


def move_weight(spot: Spot, text: str) -> Moved | str:
    """Take the weight from a loss; a string if that cannot be done: why."""
    node = block_of(spot.layer)
    assert node is not None
    if len(spot.makers) > 1:
        return f'layer "{spot.makers[1].name}" works in place on this loss'
    weights, tops = node.all("loss_weight"), node.all("top")
    if not weights:
        # net.cpp, Init: such a loss is not under any loss, and no split gives it a top of its own.
        if any(TRAIN in reader.phases for reader in spot.readers):
            return (
                f'layer "{spot.readers[0].name}" reads this loss, and without a loss_weight Caffe drops the backward'
                " pass of such a loss; write loss_weight: 1 into its layer first"
            )
        if len(tops) != 1:
            return "write the loss_weight of each top first"
        gap = text[tops[0].end : tops[0].end + 1]
        before = text[: tops[0].start]
        space = before[len(before.rstrip(" \t")) :]
        line_end = re.search(r"(\r\n|\n|\r)\Z", before[: len(before) - len(space)])
        space = line_end[0] + space if line_end else space or (gap if gap.isspace() else " ")
        return Moved(ADDED, "1", Cut(tops[0].start, tops[0].start, "loss_weight: 0" + space))
    if sum(map(bool, spot.layer.message.loss_weight)) > 1:
        # insert_splits.cpp, InsertSplits: clear_loss_weight() where one of these tops is read by a layer.
        return "its layer has a weight for several tops, and Caffe forgets the others when one of these tops is read"
    weight = weights[spot.top]
    return Moved(MOVED, weight.text, Cut(weight.value_start, weight.end, "0"))
