"""Which layers have parameters that learn, told from the type alone."""

from __future__ import annotations

from caffelint.lint.built import BuiltLayer

LEARNING = frozenset(
    [
        "Convolution",
        "Deconvolution",
        "InnerProduct",
        "Embed",
        "BatchNorm",
        "Scale",
        "Bias",
        "PReLU",
        "LSTM",
        "RNN",
        "BN",
        "CuDNNBatchNorm",
        "Convolution3D",
        "Deconvolution3D",
        "ConvolutionDepthwise",
        "DepthwiseConvolution",
        "DepthwiseConv",
    ]
)
"""Types with parameters, the common ones of the forks included. Scale and Bias have none where a bottom holds them."""

RANDOM = frozenset(["gaussian", "uniform", "xavier", "msra", "positive_unitball"])
"""Fillers that draw numbers."""


def has_parameters(type_: str, bottoms: int) -> bool:
    return type_ in LEARNING and not (type_ in ("Scale", "Bias") and bottoms > 1)


def learns(layer: BuiltLayer) -> bool:
    """Does a layer of a built net have a parameter that the solver is asked to change?"""
    message = layer.message
    if message is None or layer.type == "BatchNorm" or not has_parameters(layer.type, len(layer.bottoms)):
        return False
    specs = list(message.param)
    return not specs or any(spec.lr_mult != 0 for spec in specs)
