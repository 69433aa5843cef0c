"""How many classes a blob of scores holds."""

from __future__ import annotations

from caffelint.lint.built import Blob, BuiltLayer

SAME_CLASSES = frozenset(
    [
        "ReLU",
        "PReLU",
        "ELU",
        "Dropout",
        "BatchNorm",
        "Scale",
        "Bias",
        "Split",
        "Softmax",
        "Sigmoid",
        "Pooling",
        "Crop",
        "Power",
    ]
)
"""Types whose top has the channels of their first bottom."""


def classes(blob: Blob, axis: int = 1) -> tuple[int, BuiltLayer] | None:
    """The size of the blob along `axis`, and the layer that gives it; None where it is unknown.

    Where the shape is not known, since it stands in a data file, `num_output` of the layer that makes it is.
    """
    layer = blob.producer
    while layer is not None and layer.type in SAME_CLASSES and layer.bottoms:
        layer = layer.bottoms[0].producer
    if layer is None:
        return None
    if blob.shape is not None:
        return (blob.shape[axis], layer) if -len(blob.shape) <= axis < len(blob.shape) else None
    if axis != 1 or layer.message is None:
        return None
    message = layer.message
    if layer.type == "InnerProduct" and message.inner_product_param.axis == 1:
        return message.inner_product_param.num_output, layer
    if layer.type in ("Convolution", "Deconvolution") and message.convolution_param.axis == 1:
        return message.convolution_param.num_output, layer
    return None


def given_by(layer: BuiltLayer) -> str:
    """The block that holds the layer's `num_output`; empty where it has none."""
    return {
        "InnerProduct": "inner_product_param",
        "Convolution": "convolution_param",
        "Deconvolution": "convolution_param",
    }.get(layer.type, "")
