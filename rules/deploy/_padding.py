"""Rows and columns of zeros that are made by layers, in place of the pad of a pooling."""

from __future__ import annotations

from caffelint.lint import Edits, Layer, join, layer_beside, quoted, remove, unused_name, write
from caffelint.lint.built import Pooling, Shape, Window, pooled_size

_FIELDS = ("pad", "pad_h", "pad_w")


def zeros_around(layer: Layer, shape: Shape | None, taken: frozenset[str]) -> Edits:
    """The layer without its pad, after layers that put zeros around the map.

    shape: of the bottom, 4 axes. taken: the names of blobs. None where that cannot be done.
    """
    kind, windows = layer.kind, layer.kind.written_windows()
    if windows is None or not isinstance(kind, Pooling) or shape is None or len(shape) != 4:
        return None
    if layer.is_conditional or layer.in_place or len(layer.tops) != 1:
        return None
    blob = layer.bottoms[0]
    parts: list[Edits] = [
        remove(layer, "pooling_param", field) for field in _FIELDS if layer.has("pooling_param", field)
    ]
    for axis, side, window in zip((2, 3), "hw", windows, strict=True):
        size, pad = shape[axis], window.pad
        after = _zeros_after(size, window, floor=not kind.rounds_up)
        if after is None:
            return None
        if not pad:
            continue
        edge, zeros, padded = (unused_name(f"{layer.name}_{what}_{side}", taken) for what in ("edge", "zero", "padded"))
        whole = f"kernel_h: {size} kernel_w: 1" if side == "h" else f"kernel_h: 1 kernel_w: {size}"
        around = [*[zeros] * pad, blob, *[zeros] * after]
        parts += [
            _before(layer, "Pooling", [blob], edge, f"pooling_param {{ {whole} }}"),
            _before(layer, "Power", [edge], zeros, "power_param { scale: 0 }"),
            _before(layer, "Concat", around, padded, f"concat_param {{ axis: {axis} }}"),
        ]
        blob = padded
    return join([*parts, write(layer, "bottom", value=quoted(blob))])


def _zeros_after(size: int, window: Window, floor: bool) -> int | None:
    """How many zeros after the map give the windows that Caffe keeps, which drops one that begins in them.

    pooling_layer.cpp, Reshape. None if none do.
    """
    kernel, stride, pad, _ = window
    if kernel < 1 or stride < 1 or size + 2 * pad < kernel:
        return None
    windows = pooled_size(size, kernel, stride, pad, padded=True, floor=floor)
    after = min(size + 2 * pad, (windows - 1) * stride + kernel) - size - pad
    return after if after >= 0 else None


def _before(layer: Layer, layer_type: str, bottoms: list[str], top: str, parameters: str) -> Edits:
    block, _, value = parameters.partition(" ")
    fields = [("name", quoted(top)), ("type", quoted(layer_type)), *(("bottom", quoted(one)) for one in bottoms)]
    return layer_beside(layer, [*fields, ("top", quoted(top)), (block, value)], before=True)
