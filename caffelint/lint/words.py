"""Wording that findings share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from caffelint.project.mentions import MIXED, WRAPS, ZERO

if TYPE_CHECKING:
    from caffelint.project.mentions import Spoilt, Stopped

_LISTED = 3


def listed(names: Sequence[str]) -> str:
    """`a and b`, `a, b and c`, `a, b, c and 174 more`; empty for none."""
    left = [f"{len(names) - _LISTED} more"] if len(names) > _LISTED else []
    *most, last = [*names[:_LISTED], *left] or [""]
    return f"{', '.join(most)} and {last}" if most else last


def file_name(path: str) -> str:
    """A path without its folders, whichever slash they have: `net.prototxt` of `models/net.prototxt`."""
    return path.replace("\\", "/").rpartition("/")[2]


def stop_of(one: Stopped) -> str:
    """Why a script stops, as a message."""
    where = f'"{one.place.path}" (line {one.place.line})'
    if not one.name:
        return f"{where} cannot be read: {one.says}, so no Python runs it; mend that line"
    if one.is_absent:
        taken = f"imports {one.name} {one.says}" if one.says else f"takes {one.name}, which that module lacks"
        return f"{where} {taken}, so it stops there"
    if one.says:
        return f"{where} calls {one.name} {one.says}, so it stops there"
    remedy = f"did you mean {one.near}?" if one.near else "define or import it"
    return f"{where} reads {one.name}, which nothing defines there, so it stops; {remedy}"


def spoilt_of(one: Spoilt) -> tuple[str, str]:
    """What becomes of the pixels of an image, and what to do, as parts of a message."""
    what = one.text or "that"
    if one.kind == ZERO:
        return f"{what} divides whole numbers, which in Python 2 leaves 0, so all images are black", "divide by 255.0"
    if one.kind == MIXED:
        return f"{what} moves no axes, so it mixes pixels with colours", "use transpose"
    made = "convert the image by astype(np.float32) first"
    if one.kind == WRAPS:
        return f"{what} keeps whole numbers of 8 bits, so what is below 0 or above 255 wraps round", made
    return f"{what} writes fractions into whole numbers of 8 bits, which numpy refuses, so it stops there", made


class _Named(Protocol):
    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...


def title(layer: _Named) -> str:
    """A layer as the subject of a message: `Pooling "pool5"`."""
    return f'{layer.type or "layer"} "{layer.name}"' if layer.name else f"{layer.type} layer".strip()


def titles(layers: Sequence[_Named]) -> str:
    """Layers as the subject of a message: `BatchNorm "a", "b", "c" and 18 more`; `layers "a", "b"` of several types."""
    if len(layers) == 1:
        return title(layers[0])
    types = {layer.type for layer in layers}
    type_ = types.pop() if len(types) == 1 else ""
    # A layer of each phase may have the same name.
    names = list(dict.fromkeys(f'"{layer.name}"' for layer in layers if layer.name))
    if not names:
        return f"{len(layers)} {type_} layers".replace("  ", " ")
    left = len(names) + sum(not layer.name for layer in layers) - min(len(names), _LISTED)
    if len(names) == 1 and not left and type_:
        return f"{type_} {names[0]}"
    return f"{type_ or 'layers'} {', '.join(names[:_LISTED])}" + (f" and {left} more" if left else "")


def other_classes(low: float, high: float, classes: int, two: bool) -> str:
    """What to do with labels that run from `low` to `high` and not from 0 to classes - 1: empty where that does not
    tell. two: is each of them the lowest or the highest?
    """
    if two and low == 0 and high > 1 and classes == 2:
        return f"every label is 0 or {high:.0f}; divide them by {high:.0f}, as classes count 0, 1"
    if low == 1 and high == classes:
        return f"the labels count from 1; subtract 1 from each, or set num_output: {classes + 1}"
    if low >= 1 and not low % 1 and 0 < high - low < classes:
        code = ", the code of the character 0" if low == ord("0") else ""
        return f"the labels count from {low:.0f}{code}; subtract {low:.0f} from each"
    return ""
