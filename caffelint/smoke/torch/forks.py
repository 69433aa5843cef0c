"""Fields of forks that say what Caffe has fields for too, or that change nothing of what is computed."""

from __future__ import annotations

from typing import Any

from caffelint.schema.tables import FIRST_FORK_NUMBER

SPEED = frozenset(
    [
        "CuDNNBwdDataAlgo",
        "CuDNNBwdFilterAlgo",
        "CuDNNFwdAlgo",
        "CuDNNWorkspaceSize",
        "conv_algorithm",
        "conv_algos_override",
        "cudnn_convolution_algo_seeker",
        "cudnn_flavor",
    ]
)
"""Fields that say how fast a layer is computed."""

SIDES = ("pad_t", "pad_b", "pad_l", "pad_r")
"""Padding of each side by itself: Synopsys' fork."""

CEIL, FLOOR = 0, 1
MKL2017, MKLDNN = 3, 4


def in_caffes_words(net: Any) -> Any:
    """A NetParameter with such fields taken out or put into Caffe's own; `net` itself where it has none."""
    made = type(net)()
    made.CopyFrom(net)
    changed = False
    for layer in made.layer:
        changed |= _translate(layer)
    return made if changed else net


def _translate(layer: Any) -> bool:
    """Has something of the layer been changed?"""
    changed = False
    for field, block in layer.ListFields():
        if not field.name.endswith("_param") or not hasattr(block, "ListFields"):
            continue
        found = {item.name: value for item, value in block.ListFields() if item.number >= FIRST_FORK_NUMBER}
        for name in _idle(layer.type, block, found) | _converted(block, found):
            block.ClearField(name)
            changed = True
    return changed


def _idle(kind: str, block: Any, found: dict[str, Any]) -> set[str]:
    """The fields that change nothing: switches that are off, how fast and by which library it is computed."""
    idle = {name for name, value in found.items() if name in SPEED or value is False and not _default(block, name)}
    if kind != "BatchNorm":
        return idle | {"engine"} & found.keys()
    if "filler" in found and found.get("engine", 0) not in (MKL2017, MKLDNN):
        # Intel's own fields: the scale and shift that they fill are in its MKL engines alone
        # (batch_norm_layer.cpp LayerSetUp), which put the Scale behind a BatchNorm in their place (net.cpp).
        idle |= {"engine", "filler", "bias_filler", "bias_term", "use_weight_bias"} & found.keys()
    return idle


def _default(block: Any, name: str) -> Any:
    return block.DESCRIPTOR.fields_by_name[name].default_value


def _converted(block: Any, found: dict[str, Any]) -> set[str]:
    """The fields whose meaning is now in a field of Caffe's."""
    converted = set()
    top, bottom, left, right = (found.get(name, 0) for name in SIDES)
    if found.keys() & set(SIDES) and (top, left) == (bottom, right):
        converted.update(found.keys() & set(SIDES))
        if top or left:
            block.pad_h, block.pad_w = top, left
    if "ceil_mode" in found:
        converted.add("ceil_mode")
        if not block.HasField("round_mode"):
            block.round_mode = CEIL if found["ceil_mode"] else FLOOR
    return converted
