"""Whether a later layer goes on from what came before a layer, as if that were not there."""

from __future__ import annotations

from caffelint.lint import Layer
from caffelint.lint.built import BuiltLayer, computed_by

_LRN = "LRN"
_DEEPEST = 500
_AXES_OF_MAPS = 4


def skips(layer: BuiltLayer, follower: BuiltLayer | None) -> BuiltLayer | None:
    """The follower of a layer, if it reads the data that the way to this layer began at.

    Where both begin further on, they may be two heads; where the way to this layer ends in values without pixels, which
    the follower reads, or begins with a layer like the follower, they are two trunks.
    """
    if follower is None or not follower.known or follower.is_loss or len(follower.bottoms) != 1:
        return None
    began = follower.bottoms[0].original
    is_read = any(top.readers for top in follower.tops)
    if not is_read or began.producer is not None and began.producer.bottoms:
        return None
    if follower.written_windows() is not None and _lacks_pixels(layer):
        return None
    above: BuiltLayer | None = layer
    for _ in range(_DEEPEST):
        if above is None or not above.bottoms:
            return None
        if above.bottoms[0].original is began:
            return None if above.type == follower.type and computed_by(above) == computed_by(follower) else follower
        above = above.bottoms[0].maker
    return None


def is_step(layer: BuiltLayer) -> bool:
    """Does it make of blobs what the next layer is to read, without weights of its own? No result to look at."""
    if not layer.known or layer.has_weights or layer.is_loss:
        return False
    drops = layer.hands_on and not layer.rearranges
    scales = layer.normalises or layer.type == _LRN
    return bool(layer.is_activation or scales or layer.compares_maps or drops or layer.written_windows())


def goes_on(layer: Layer) -> bool:
    """Does it make of what it reads something for others to read?"""
    joins = layer.kind.compares_maps and len(layer.bottoms) > 1
    makes = layer.kind.has_weights or layer.kind.pools or joins
    return bool(layer.kind.known and not layer.kind.is_loss and makes)


def _lacks_pixels(layer: BuiltLayer) -> bool:
    """Does it give one value for each output, as an InnerProduct does?"""
    top = layer.tops[0].original
    shape = top.shape or top.partial
    return shape is not None and len(shape) < _AXES_OF_MAPS
