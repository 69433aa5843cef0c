"""The memory that training takes on the card: what Caffe allocates, without cuDNN's workspaces and the driver's own."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from caffelint.lint.built import BuiltLayer, BuiltNet

_BYTES = 4
_PREFETCHED = 4
HISTORY = {"SGD": 1, "Nesterov": 1, "AdaGrad": 1, "RMSProp": 1, "AdaDelta": 2, "Adam": 2}
"""Blobs as large as a parameter that a solver keeps for each (sgd_solvers.hpp), without what is only for a moment."""


class Memory(NamedTuple):
    """Bytes. `images` grow with the batch: data, gradients and prefetched batches; the others do not."""

    images: int
    parameters: int
    columns: int


def memory(net: BuiltNet) -> Memory | None:
    """What one net takes; None where a shape or a parameter is unknown.

    A gradient is counted for every blob that needs one, parameters once, without gradients.
    """
    images = parameters = columns = 0
    for layer in net.layers:
        if layer.params is None or any(blob.shape is None for blob in layer.tops):
            return None
        parameters += sum(prod(param.shape) for param in layer.params if param.owner is None)
        columns += _column(layer)
        for blob in layer.tops:
            size = prod(blob.shape or (1,))
            if blob.previous is None:
                images += size * (not layer.shares_memory)
                images += size * (_has_gradient(layer, net) and (not layer.shares_memory or layer.type == "Split"))
            if layer.prefetches:
                images += size * _PREFETCHED
    return Memory(images * _BYTES, parameters * _BYTES, columns * _BYTES)


def _has_gradient(layer: BuiltLayer, net: BuiltNet) -> bool:
    return net.phase == "TRAIN" and layer.need_backward


def _column(layer: BuiltLayer) -> int:
    """The buffer in which one image is laid out for the matrix product (base_conv_layer.cpp); none for 1x1 alone."""
    if layer.block != "convolution_param" or not layer.params:
        return 0
    kernel, stride, pad = (getattr(layer, name, None) for name in ("kernel", "stride", "pad"))
    if not kernel or max(kernel) == 1 and max(stride or [1]) == 1 and max(pad or [0]) == 0:
        return 0
    maps = (layer.tops if layer.type == "Convolution" else layer.bottoms)[0].shape or ()
    return prod(layer.params[0].shape[1:]) * int(layer.parameters.group or 1) * prod(maps[2:])
