"""The fillers of a layer, and whether a net starts from them."""

from __future__ import annotations

import re

from caffelint.lint import Layer, quoted

WEIGHTS = {
    "Convolution": "convolution_param",
    "InnerProduct": "inner_product_param",
    "Deconvolution": "convolution_param",
    "Embed": "embed_param",
    "LSTM": "recurrent_param",
    "RNN": "recurrent_param",
}
"""Types with weights that have to differ from each other, and the block that holds their fillers."""

FILLERS = {
    **{type_: ((block, "weight_filler"), (block, "bias_filler")) for type_, block in WEIGHTS.items()},
    "Scale": (("scale_param", "filler"), ("scale_param", "bias_filler")),
    "Bias": (("bias_param", "filler"),),
    "PReLU": (("prelu_param", "filler"),),
}
"""All fillers of BVLC's types that are given once, the one of the weights first."""

_NAMED = re.compile(r"[\"'](msra|xavier)[\"']")

KNOWN = frozenset(["constant", "gaussian", "positive_unitball", "uniform", "xavier", "msra", "bilinear"])


def random_filler(layer: Layer) -> list[tuple[str, str]]:
    """The fields of a filler: the one that the net's text names, else msra for a ReLU and xavier for all else."""
    named = set(_NAMED.findall(layer.net.document.source.text))
    if len(named) == 1:
        return [("type", quoted(named.pop()))]
    tops = set(layer.tops)
    for other in layer.net.layers[layer.index + 1 :]:
        if tops & set(other.bottoms):
            if other.type in ("ReLU", "PReLU"):
                return [("type", '"msra"')]
            if other.type not in ("BatchNorm", "Scale", "Dropout"):
                break
            tops |= set(other.tops)
    return [("type", '"xavier"')]


def is_last(layer: Layer) -> bool:
    """Does a loss read the layer, so that each output has a gradient of its own?"""
    return any("Loss" in other.type for other in layer.net.layers if set(layer.tops) & set(other.bottoms))
