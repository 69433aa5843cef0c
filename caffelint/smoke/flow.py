"""Where gradients flow in a built net, splits left out."""

from __future__ import annotations

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob


def gets_gradient(layer: BuiltLayer, top: int) -> bool:
    """Does a gradient reach a top, from what reads it or because it is a loss?"""
    return bool(loss_weight(layer, top)) or bool(readers(layer.tops[top]))


def loss_weight(layer: BuiltLayer, top: int) -> float:
    """Of a top; 0 for none. Where a split reads a loss, Caffe moves its weight there (insert_splits.cpp)."""
    if top < len(layer.loss_weights) and layer.loss_weights[top]:
        return layer.loss_weights[top]
    splits = [reader for reader, _ in layer.tops[top].consumers if reader.message is None]
    return next((weight for split in splits for weight in split.loss_weights if weight), 0.0)


def readers(blob: Blob) -> list[tuple[BuiltLayer, int]]:
    """Those that send a gradient to a blob, with the number of their bottom."""
    found: list[tuple[BuiltLayer, int]] = []
    for layer, bottom in blob.consumers:
        if layer.message is None:
            found += [one for top in layer.tops for one in readers(top)]
        elif layer.need_backward and layer.propagate_down[bottom]:
            found.append((layer, bottom))
    return found


def is_of_data(blob: Blob) -> bool:
    """Does it follow from the data? A Python layer may have weights, and hardly any has, so its targets do."""
    may_learn = (one for one in blob.depends_on if one.has_weights is not False) if blob.need_backward else ()
    return all(one.type == "Python" and not one.message.param for one in may_learn)
