"""What a build leaves to be assumed."""

from __future__ import annotations

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers.data import DataLayer


def assumes(built: BuiltNet) -> bool:
    """Would `assume_inputs` tell a shape of data that this build does not know?"""
    data = (layer for layer in built.layers if isinstance(layer, DataLayer))
    tops = (pair for layer in data for pair in zip(layer.tops, layer.likely_shapes(), strict=False))
    return any(blob.shape is None and shape is not None for blob, shape in tops)
