"""How many classes a blob of scores holds."""

from __future__ import annotations

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob


def score_classes(blob: Blob, axis: int = 1) -> tuple[int, BuiltLayer] | None:
    """The size of the blob along `axis`, and the layer that gives it; None where it is unknown.

    Where the shape is unknown because it comes from a data file, `num_output` of the layer that makes the blob tells.
    """
    layer = blob.producer
    while layer is not None and layer.keeps_channels and layer.bottoms:
        layer = layer.bottoms[0].producer
    if layer is None:
        return None
    if blob.shape is not None:
        return (blob.shape[axis], layer) if -len(blob.shape) <= axis < len(blob.shape) else None
    if axis != 1 or not classes_given_by(layer) or layer.parameters.axis != 1:
        return None
    return layer.parameters.num_output, layer


def classes_given_by(layer: BuiltLayer) -> str:
    """The block that holds the layer's `num_output`; empty where it has none."""
    return layer.block if layer.is_linear and layer.has_setting("num_output") and layer.has_setting("axis") else ""
