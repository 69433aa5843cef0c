"""The BatchNorm layers of a net, and what stands around them."""

from __future__ import annotations

from caffelint.lint import Layer, Net

FORK_SCALES = ("scale_filler", "bias_filler", "scale_bias")
"""Fields with which a fork's BatchNorm scales and shifts by itself."""


def norms(net: Net, phase: str) -> list[Layer]:
    """BatchNorm layers of a phase, with weights of their own layer not copied: in the order of the text."""
    return [layer for layer in net.layers if layer.type == "BatchNorm" and phase in layer.phases]


def global_stats(layer: Layer) -> bool | None:
    """`use_global_stats` as it is written; None where it is not."""
    param = layer.message.batch_norm_param
    return param.use_global_stats if param.HasField("use_global_stats") else None


def feeding(layer: Layer) -> Layer | None:
    """The layer that makes what this one reads, as the text has it: the nearest above with that top."""
    if not layer.bottoms:
        return None
    name = layer.bottoms[0]
    for other in reversed(layer.net.layers[: layer.index]):
        if name in other.tops and set(other.phases) & set(layer.phases):
            return other
    return None


def is_frozen(layer: Layer | None) -> bool:
    """Does no parameter of the layer change in training?"""
    if layer is None:
        return False
    specs = layer.message.param
    return bool(specs) and all(spec.lr_mult == 0 for spec in specs)
