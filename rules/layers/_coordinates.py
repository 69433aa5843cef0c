"""Where the pixels of a blob are on the map that they were made from, by kernel, stride and pad alone.

Pixel p of a blob is at `scale * p + shift` of the blob that the walk started from. This needs no sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from caffelint.lint import NamedTuple, Net
from caffelint.lint.built import Blob, BuiltLayer

Axis = tuple[Fraction, Fraction]


class Position(NamedTuple):
    """(scale, shift) of rows, and of columns, on the blob `root`. moved_by: the first layer that moves or scales."""

    root: Blob
    rows: Axis
    columns: Axis
    moved_by: BuiltLayer | None = None


_NONE = Fraction(0)
SAME: Axis = (Fraction(1), _NONE)
_MOST_STEPS = 2000
_ALIGNED = 2
"""How many Crops have to be aligned for a third one to be odd."""
_FAR = Fraction(1 << 20)
_LONGEST = 1 << 64
"""No map has as many pixels; numbers that grow from layer to layer would take ever longer to reckon with."""


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


def gaps(layers: Iterable[BuiltLayer], known: dict[Blob, Position | None]) -> dict[Blob, Fraction | None]:
    """By how many pixels of the root maps that were laid on each other on the way to a blob are apart, at most.

    None where they are of different scales. `position` follows the first of them. Half a pixel of the maps themselves
    is what rounding leaves, and counts as nothing. A blob that is not in it is one that no layer makes of others.
    """
    found: dict[Blob, Fraction | None] = {}
    for layer in layers:
        if layer.bottoms:
            joined = layer.bottoms if _is_joined(layer) else layer.bottoms[:1]
            all_ = [found.get(one, _NONE) for one in joined]
            first, *others = (position(one, known) for one in joined)
            all_ += (_gap(first, other) for other in others)
            widest = None if None in all_ else max(one for one in all_ if one is not None)
            found.update((top, widest) for top in layer.tops)
    return found


def _gap(one: Position | None, other: Position | None) -> Fraction | None:
    if one is None or other is None or one.root is not other.root:
        return _NONE
    if (one.rows[0], one.columns[0]) != (other.rows[0], other.columns[0]):
        return None
    apart = ((abs(a[1] - b[1]), a[0] / 2) for a, b in ((one.rows, other.rows), (one.columns, other.columns)))
    return max(shift if shift > rounding else _NONE for shift, rounding in apart)


def _is_joined(layer: BuiltLayer) -> bool:
    """Does it lay maps on each other, or side by side, pixel on pixel?"""
    return bool(layer.keeps_pixels and layer.compares_maps and len(layer.bottoms) > 1)


def _through(layer: BuiltLayer, below: Position) -> Position | None:
    if layer.keeps_pixels:
        return below
    rows = _axis(layer, below.rows, 0)
    columns = _axis(layer, below.columns, 1)
    if rows is None or columns is None or max(map(_length, (*rows, *columns))) > _LONGEST:
        return None
    return Position(below.root, rows, columns, below.moved_by or layer)


def _length(number: Fraction) -> int:
    return max(abs(number.numerator), number.denominator)


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


def ought_to_be_exact(crops: Sequence[BuiltLayer], known: dict[Blob, Position | None]) -> bool:
    """Is a Crop that is off a slip, however coarse its map? Where all others are aligned exactly, or the only one of
    the net, which makes its answer, could be by a whole offset.
    """
    shifts = [_shift(layer, known) for layer in crops]
    if len(shifts) == 1:
        return shifts[0].denominator == 1
    return len(shifts) > _ALIGNED and sum(not shift for shift in shifts) >= len(shifts) - 1


def _shift(layer: BuiltLayer, known: dict[Blob, Position | None]) -> Fraction:
    """How many pixels a Crop is off, in the worse direction; far where that cannot be told."""
    map_, reference = (position(blob, known) for blob in layer.bottoms)
    if map_ is None or reference is None or map_.root is not reference.root:
        return _FAR
    shifts = []
    for side, (here, there) in enumerate(((map_.rows, reference.rows), (map_.columns, reference.columns))):
        offset = crop_offset(layer, side)
        if offset is None or here[0] != there[0]:
            return _FAR
        shifts.append(abs((there[1] - here[1]) / here[0] - offset))
    return max(shifts)


def said_of_training(net: Net) -> set[int]:
    """The Crops that the training net of a net for testing has alike. Where maps do not fit there, it is told there;
    else what differs between the two is to blame, such as a pad that train-test-nets-differ tells of.
    """
    others = [other for solver in net.solvers if (other := solver.train_net) is not None and other is not net]
    alike = {layer.name: layer.message.crop_param for other in others for layer in other.by_type.get("Crop", ())}
    crops = net.by_type.get("Crop", ()) if alike else ()
    return {layer.index for layer in crops if layer.message.crop_param == alike.get(layer.name)}


def enlarges(layer: BuiltLayer | None) -> int:
    """How many times a Deconvolution enlarges; 1 for other layers."""
    windows = layer.written_windows() if layer is not None and layer.upsamples else None
    return max(window.stride for window in windows) if windows else 1
