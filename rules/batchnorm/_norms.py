"""The BatchNorm layers of a net, and the layers around them."""

from __future__ import annotations

from caffelint.lint import TRAIN, Layer, Net
from caffelint.lint.built import has_fork_fields


def norms(net: Net, phase: str) -> list[Layer]:
    """BatchNorm layers of a phase, in the order of the text; which statistics they take is the same in all forks."""
    return [layer for layer in net.by_type.get("BatchNorm", ()) if phase in layer.phases]


def is_norm(layer: Layer) -> bool:
    """Is it a BatchNorm as BVLC's Caffe has it? With a setting of its own, a fork's may scale or clip by itself."""
    return layer.type == "BatchNorm" and not has_fork_fields(layer.message.batch_norm_param)


def global_stats(layer: Layer) -> bool | None:
    """`use_global_stats` as it is written; None where it is not."""
    param = layer.message.batch_norm_param
    return param.use_global_stats if param.HasField("use_global_stats") else None


def feeding(layer: Layer) -> Layer | None:
    """The layer of TRAIN that makes what this one reads, as the text has it: the nearest above with that top."""
    made = layer.maker(0, TRAIN)
    return made.layer if made else None
