"""The GPU memory that Caffe allocates for training, without cuDNN's workspaces and what the driver takes."""

from __future__ import annotations

from math import prod

from caffelint.lint import NamedTuple
from caffelint.lint.built import BuiltLayer, BuiltNet

_BYTES = 4
_PREFETCHED = 4


class Memory(NamedTuple):
    """Bytes. Only `images`, which are data, gradients and prefetched batches, grow with the batch size."""

    images: int
    parameters: int
    columns: int


def memory(net: BuiltNet) -> Memory | None:
    """The memory of one net; None if a shape or a parameter is unknown.

    Blobs count with their gradients where they need one, parameters without.
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
    """The buffer in which im2col lays out one image (base_conv_layer.cpp), in numbers; 1x1 kernels need none."""
    if layer.block != "convolution_param" or not layer.params:
        return 0
    kernel, stride, pad = (getattr(layer, name, None) for name in ("kernel", "stride", "pad"))
    if not kernel or max(kernel) == 1 and max(stride or [1]) == 1 and max(pad or [0]) == 0:
        return 0
    maps = (layer.tops if layer.type == "Convolution" else layer.bottoms)[0].shape or ()
    return prod(layer.params[0].shape[1:]) * int(layer.parameters.group or 1) * prod(maps[2:])
