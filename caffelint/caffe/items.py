"""Where a net changes how many items a blob has."""

from __future__ import annotations

from caffelint.caffe.net_parts import Blob

_FARTHEST = 500
"""Layers: the deepest nets that people train have fewer in a row."""


def items_change(blob: Blob) -> str:
    """`; Concat "both" makes the 70 from 35; with axis: 1 it joins channels`: the nearest layer above that has
    another first axis than its bottom; "" for none, and where shapes are unknown."""
    for _ in range(_FARTHEST):
        maker = blob.maker
        if maker is None or not maker.bottoms:
            break
        made, read = blob.original.shape, maker.bottoms[0].shape
        if not made or not read:
            return ""
        if made[0] != read[0]:
            joins = maker.rearranges and len(maker.bottoms) > 1 and {one.shape for one in maker.bottoms} == {read}
            remedy = "; with axis: 1 it joins channels" if joins else ""
            return f'; {maker.type} "{maker.name}" makes the {made[0]} from {read[0]}{remedy}'
        blob = maker.bottoms[0]
    return ""
