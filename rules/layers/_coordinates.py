"""Where the pixels of a blob are on the map that they were made from, by kernel, stride and pad alone.

Pixel p of a blob is at `scale * p + shift` of the blob that the walk started from. This needs no sizes.
"""

from __future__ import annotations

from fractions import Fraction

from caffelint.lint import NamedTuple
from caffelint.lint.built import Blob, BuiltLayer

Axis = tuple[Fraction, Fraction]


class Position(NamedTuple):
    """(scale, shift) of rows, and of columns, on the blob `root`."""

    root: Blob
    rows: Axis
    columns: Axis


SAME: Axis = (Fraction(1), Fraction(0))
_MOST_STEPS = 2000


def position(blob: Blob, known: dict[Blob, Position | None]) -> Position | None:
    """The position of a blob on what the net reads; None after a layer that moves pixels in another way."""
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


def paths_agree(blob: Blob, known: dict[Blob, Position | None], tolerated: Fraction) -> bool:
    """Are all maps that were laid on each other on the way to a blob in one place, but for so many pixels of the root?

    `position` follows the first of them. Half a pixel of the maps themselves is what rounding leaves.
    """
    seen: set[Blob] = set()
    pending = [blob]
    while pending and len(seen) < _MOST_STEPS:
        here = pending.pop()
        maker = here.producer
        if here in seen or maker is None or not maker.bottoms:
            continue
        seen.add(here)
        joined = maker.bottoms if _is_joined(maker) else maker.bottoms[:1]
        pending += joined
        first, *others = (position(one, known) for one in joined)
        for other in others:
            if first is None or other is None or first.root is not other.root:
                continue
            for one, two in ((first.rows, other.rows), (first.columns, other.columns)):
                if one[0] != two[0] or abs(one[1] - two[1]) > max(tolerated, one[0] / 2):
                    return False
    return True


def _is_joined(layer: BuiltLayer) -> bool:
    """Does it lay maps on each other, or side by side, pixel on pixel?"""
    return bool(layer.keeps_pixels and layer.compares_maps and len(layer.bottoms) > 1)


def _through(layer: BuiltLayer, below: Position) -> Position | None:
    if layer.keeps_pixels:
        return below
    rows = _axis(layer, below.rows, 0)
    columns = _axis(layer, below.columns, 1)
    return Position(below.root, rows, columns) if rows and columns else None


def _axis(layer: BuiltLayer, axis: Axis, side: int) -> Axis | None:
    scale, shift = axis
    if layer.type == "Crop":
        offset = crop_offset(layer, side)
        return None if offset is None else (scale, shift + scale * offset)
    windows = layer.written_windows()
    if windows is None or windows[side].stride <= 0:
        return None
    _, stride, pad, _ = windows[side]
    middle = Fraction(windows[side].extent - 1, 2) - pad
    if layer.upsamples:
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
