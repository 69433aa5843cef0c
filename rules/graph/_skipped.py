"""Whether the next layer goes on from the data, as if the layers before it were not there."""

from __future__ import annotations

from caffelint.lint.built import BuiltLayer

_DEEPEST = 500


def skips(layer: BuiltLayer, follower: BuiltLayer | None) -> BuiltLayer | None:
    """The follower of a layer, if it reads the data that the way to this layer began at.

    Where both begin further on, they may be two heads.
    """
    if follower is None or not follower.known or follower.is_loss or len(follower.bottoms) != 1:
        return None
    began = follower.bottoms[0].original
    is_read = any(top.readers for top in follower.tops)
    if not is_read or began.producer is not None and began.producer.bottoms:
        return None
    above: BuiltLayer | None = layer
    for _ in range(_DEEPEST):
        if above is None or not above.bottoms:
            return None
        if above.bottoms[0].original is began:
            return follower
        above = above.bottoms[0].maker
    return None
