"""The fillers of a layer, and whether a net starts from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from caffelint.lint import TRAIN, Layer, Net, quoted

from ..graph._learning import RANDOM as RANDOM

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

_LOADED = re.compile(r"(?i)fine.?tun|pre.?train|transfer|distill|teacher|\.caffemodel|imagenet")
"""Words of a text that speaks of weights that are there already."""

_NAMED = re.compile(r"[\"'](msra|xavier)[\"']")

KNOWN = frozenset(["constant", "gaussian", "positive_unitball", "uniform", "xavier", "msra", "bilinear"])


class Written(NamedTuple):
    path: tuple[str, str]
    filler: Any


def fillers(layer: Layer) -> Iterator[Written]:
    """The fillers that a layer's text gives."""
    message = layer.message
    for block, name in FILLERS.get(layer.type, ()):
        if message.HasField(block):
            param = getattr(message, block)
            if param.HasField(name):
                yield Written((block, name), getattr(param, name))


def is_frozen(layer: Layer) -> bool:
    """Are its weights never changed?"""
    specs = layer.message.param
    return bool(specs) and specs[0].lr_mult == 0


def is_trained(net: Net) -> bool:
    """Is the net built for TRAIN, by a solver or by the data that it has?"""
    if net.solvers:
        return any(use.net is net and use.trains for solver in net.solvers for use in solver.nets)
    name = net.path.rpartition("/")[2].lower()
    if "test" in name and "train" not in name or "deploy" in name:
        return False
    return net.role == "train" and any(
        not layer.bottoms and layer.phases == (TRAIN,) and layer.tops for layer in net.layers
    )


def starts_from_weights(net: Net) -> bool:
    """Does something in the text say that weights are loaded before training?

    `weights` in the solver, a frozen layer, or a new head on layers without fillers: the first layer with weights
    leaves its filler out and a later one has one. The data layer of the R-CNN detectors says so as well: their
    training scripts always load an ImageNet model.
    """
    if any(solver.message.weights for solver in net.solvers):
        return True
    if any(layer.message.python_param.module.startswith("roi_data_layer") for layer in net.layers):
        return True
    layers = [layer for layer in net.layers if layer.type in WEIGHTS]
    if any(is_frozen(layer) for layer in layers if layer.type != "Deconvolution"):
        return True
    given = [layer.has(WEIGHTS[layer.type], "weight_filler") for layer in layers]
    return bool(given) and not given[0] and any(given)


def speaks_of_weights(net: Net) -> bool:
    """Do the words of the net, of its path or of its solvers say that weights are loaded?"""
    texts = [net.document.source.text, net.path, *(solver.document.source.text for solver in net.solvers)]
    return any(_LOADED.search(text) for text in texts)


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
