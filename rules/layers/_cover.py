"""An average that is to cover the whole map before a classifier, and the inputs with which it does."""

from __future__ import annotations

from caffelint.lint import Net
from caffelint.lint.built import BuiltLayer, BuiltNet

MAP_AXES = 4
_LEAST_COVER = 4
"""A smaller average blurs."""
_FAR = 6
_USUAL = (224, 227, 299, 331, 32, 28)
"""Sides of the images that published nets take."""


def is_to_cover(layer: BuiltLayer) -> bool:
    """Is a Pooling an average with a large window and stride 1, straight before an InnerProduct?"""
    if not layer.bottoms:
        return False
    param = layer.parameters
    plain = param.pool == param.AVE and param.stride == 1 and not param.pad and not param.global_pooling
    if not plain or param.HasField("stride_h") or param.HasField("pad_h") or param.kernel_size < _LEAST_COVER:
        return False
    readers = [layer]
    for _ in range(_FAR):
        readers = [reader for one in readers for top in one.tops for reader, _ in top.consumers]
        if not readers or not all(reader.hands_on for reader in readers):
            break
    return bool(readers) and all(reader.type == "InnerProduct" for reader in readers)


def fitting_side(net: Net, one: BuiltNet, data: BuiltLayer | None, average: BuiltLayer) -> int:
    """A usual size of the input with which the average covers its map; 0 if there is none."""
    shape = data.tops[0].shape if data is not None else None
    if data is None or shape is None or len(shape) != MAP_AXES:
        return 0
    kernel = average.parameters.kernel_size
    for side in _USUAL:
        if side >= shape[2]:
            continue  # a larger input makes no smaller map
        other = net.likely(one.state, {data.tops[0].name: (*shape[:2], side, side)})
        layer = next((layer for layer in other.layers if layer.index == average.index), None)
        if layer is not None and layer.bottoms[0].shape and layer.bottoms[0].shape[2:] == (kernel, kernel):
            return side
    return 0


def was_trained_whole(net: Net, average: BuiltLayer) -> bool:
    """Does a training net beside it with that layer take images as they are? They may be as large as those here."""
    for other in net.siblings:
        data = [layer for layer in other.layers if layer.kind.is_data]
        if other.role == "train" and data and any(layer.name == average.name for layer in other.layers):
            if not any(layer.has("transform_param", "crop_size") for layer in data):
                return True
    return False
