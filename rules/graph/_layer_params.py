"""What a layer computes, as plain values that compare between nets."""

from __future__ import annotations

from typing import Any

from caffelint.lint import Layer

SHAPES = {
    "Convolution": ("num_output", "kernel", "bias_term", "group"),
    "Deconvolution": ("num_output", "kernel", "bias_term", "group"),
    "InnerProduct": ("num_output", "bias_term"),
}
"""Types whose parameters have a shape that their text gives, and the fields that it comes from."""

_BLOCKS = {
    "Convolution": ("convolution_param", ("num_output", "bias_term", "group", "dilation")),
    "Deconvolution": ("convolution_param", ("num_output", "bias_term", "group", "dilation")),
    "InnerProduct": ("inner_product_param", ("num_output", "bias_term", "axis", "transpose")),
    "Pooling": ("pooling_param", ("pool",)),
    "LRN": ("lrn_param", ("local_size", "alpha", "beta", "k", "norm_region")),
    "ReLU": ("relu_param", ("negative_slope",)),
    "ELU": ("elu_param", ("alpha",)),
    "Power": ("power_param", ("power", "scale", "shift")),
    "Eltwise": ("eltwise_param", ("operation", "coeff")),
    "PriorBox": (
        "prior_box_param",
        ("min_size", "max_size", "aspect_ratio", "flip", "clip", "variance", "step", "offset"),
    ),
}
_WINDOWED = frozenset(["Convolution", "Deconvolution", "Pooling"])


def parameters(layer: Layer) -> dict[str, Any]:
    """The fields that change what a layer computes, Caffe's defaults filled in; empty for types without any.

    kernel, stride and pad are (height, width), however they are written.
    """
    if layer.type not in _BLOCKS:
        return {}
    block, fields = _BLOCKS[layer.type]
    param = getattr(layer.message, block)
    found = {}
    for name in fields:
        value = getattr(param, name)
        found[name] = tuple(value) if hasattr(value, "append") else value
    if "dilation" in found:
        found["dilation"] = found["dilation"] or (1,)
    if "pool" in found:
        found["pool"] = ("MAX", "AVE", "STOCHASTIC")[param.pool] if param.pool < 3 else param.pool
    if layer.type in _WINDOWED and not (layer.type == "Pooling" and param.global_pooling):
        found["kernel"] = _window(param, "kernel_size", "kernel", 0)
        found["stride"] = _window(param, "stride", "stride", 1)
        found["pad"] = _window(param, "pad", "pad", 0)
    return found


def _window(param: Any, name: str, side: str, default: int) -> tuple[int, ...]:
    if param.HasField(f"{side}_h") or param.HasField(f"{side}_w"):
        return (getattr(param, f"{side}_h"), getattr(param, f"{side}_w"))
    value = getattr(param, name)
    values = tuple(value) if hasattr(value, "append") else (value,)
    return values * 2 if len(values) == 1 else values or (default, default)


def described(value: Any) -> str:
    """A value as people write it: `3`, `3 x 1`, `true`, `0.1`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        same = len(set(value)) == 1
        return described(value[0]) if same else " x ".join(described(item) for item in value) or "none"
    return str(value)


def field_path(layer: Layer, field: str) -> tuple[str, str]:
    """Where a field of `parameters` is written in a layer."""
    block = _BLOCKS[layer.type][0]
    names = ("kernel_size", "kernel_h", "kernel_w") if field == "kernel" else (field, f"{field}_h", f"{field}_w")
    if field in ("kernel", "stride", "pad"):
        return block, next((name for name in names if layer.has(block, name)), names[0])
    return block, field
