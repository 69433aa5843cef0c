"""How many pixels of the picture one of a map is, by the layers before it and by what Python layers are told."""

from __future__ import annotations

from fractions import Fraction

from caffelint.lint import Layer, compiled_later
from caffelint.lint.built import Blob

from ._coordinates import Position, position

_MOST_CHANNELS = 6
"""Of what may be a picture; the map of another net has more."""

_FEAT_STRIDE = compiled_later(r"""['"]?feat_stride['"]?\s*:\s*(\d{1,6})(?![\d.])""")


def stride_of(blob: Blob, known: dict[Blob, Position | None]) -> Fraction | None:
    """How many pixels of the picture one of the map is; None where that is not one number, or nothing is scaled."""
    map_ = position(blob, known)
    if map_ is None or map_.rows[0] != map_.columns[0] or map_.rows[0] == 1 or not _is_picture(map_.root):
        return None
    return map_.rows[0]


def feat_strides(layer: Layer) -> list[int]:
    """The strides of the map that a Python layer is told (proposal_layer.py, setup, py-faster-rcnn)."""
    return [int(number) for number in _FEAT_STRIDE.findall(layer.message.python_param.param_str)]


def _is_picture(blob: Blob) -> bool:
    return blob.shape is None or len(blob.shape) == 4 and blob.shape[1] <= _MOST_CHANNELS
