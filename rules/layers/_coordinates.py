"""Where the pixels of a blob lie on the map that they were made from, by kernel, stride and pad alone.

Pixel p of a blob lies at `scale * p + shift` of the blob that the walk started from. No size is needed for that.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from caffelint.lint.built import Blob, BuiltLayer

KEEPING = frozenset(
    [
        *("ReLU", "PReLU", "ELU", "Dropout", "BatchNorm", "Scale", "Bias", "LRN", "Sigmoid", "TanH", "Power", "Split"),
        *("Concat", "Eltwise", "Softmax", "AbsVal", "BN", "ReLU6", "Slice", "Exp", "Log", "Silence"),
    ]
)
"""Types whose tops have their pixels where those of the first bottom are."""

Axis = tuple[Fraction, Fraction]


class Position(NamedTuple):
    """(scale, shift) of rows, and of columns, on the blob `root`."""

    root: Blob
    rows: Axis
    columns: Axis


SAME: Axis = (Fraction(1), Fraction(0))
_MOST_STEPS = 2000


def position(blob: Blob, known: dict[Blob, Position | None]) -> Position | None:
    """The position of a blob on what the net reads; None behind a layer that moves pixels in another way."""
    chain: list[Blob] = []
    here = blob
    while here not in known and len(chain) < _MOST_STEPS:
        maker = here.producer
        if maker is None or not maker.bottoms:
            known[here] = Position(here, SAME, SAME)
            break
        chain.append(here)
        here = maker.bottoms[0]
    found = known.get(here)
    for one in reversed(chain):
        maker = one.producer
        found = None if found is None or maker is None else _through(maker, found)
        known[one] = found
    return found


def _through(layer: BuiltLayer, below: Position) -> Position | None:
    if layer.type in KEEPING:
        if layer.type in ("Concat", "Slice") and layer.parameters.axis not in (1, -3):
            return None
        return below
    rows = _axis(layer, below.rows, 0)
    columns = _axis(layer, below.columns, 1)
    return Position(below.root, rows, columns) if rows and columns else None


def _axis(layer: BuiltLayer, axis: Axis, side: int) -> Axis | None:
    scale, shift = axis
    if layer.type == "Crop":
        offset = crop_offset(layer, side)
        return None if offset is None else (scale, shift + scale * offset)
    if layer.type not in ("Convolution", "Deconvolution", "Pooling"):
        return None
    param = layer.parameters
    if layer.type == "Pooling" and param.global_pooling:
        return None
    kernel = axis_size(param, "kernel_size", side, 0)
    stride = axis_size(param, "stride", side, 1)
    pad = axis_size(param, "pad", side, 0)
    if kernel <= 0 or stride <= 0:
        return None
    dilation = 1 if layer.type == "Pooling" else axis_size(param, "dilation", side, 1)
    middle = Fraction((kernel - 1) * dilation, 2) - pad
    if layer.type == "Deconvolution":
        return scale / stride, shift - scale * middle / stride
    return scale * stride, shift + scale * middle


def crop_offset(layer: BuiltLayer, side: int) -> int | None:
    """The offset of a Crop along rows (0) or columns (1); None where that axis is not cropped, or the text unclear."""
    param = layer.parameters
    axis, offsets = param.axis, list(param.offset)
    if axis not in (0, 1, 2, -2) or len(offsets) not in (0, 1, 4 - axis % 4):
        return None
    if not offsets:
        return 0
    return int(offsets[0] if len(offsets) == 1 else offsets[side - 2])


def axis_size(param: object, name: str, side: int, default: int) -> int:
    """`kernel_size`, `stride`, `pad` or `dilation` along rows (0) or columns (1), in whichever way it is written."""
    one = f"{name.partition('_')[0]}_{'hw'[side]}"
    if name != "dilation" and param.HasField(one):  # type: ignore[attr-defined]
        return int(getattr(param, one))
    value = getattr(param, name)
    values = list(value) if hasattr(value, "append") else [value]
    return int(values[min(side, len(values) - 1)]) if values else default
