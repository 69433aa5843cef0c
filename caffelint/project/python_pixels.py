"""What is known of the pixels of an image in Python code, and what numpy, cv2 and PIL make of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from caffelint.project.mentions import IN_PLACE, MIXED, WRAPS, Spoilt
from caffelint.project.python_nodes import dotted
from caffelint.text.records import NamedTuple

RGB, BGR = "RGB", "BGR"
MEAN, BLANK, DRAWN, DRAWN_WHOLE = "mean", "blank", "drawn", "drawn whole"
"""What is called a mean, an array or a list that is still to be filled, and one number that is drawn at random."""
_SWAPPED = {RGB: BGR, BGR: RGB, "": ""}
_OPEN = {
    ("io", "load_image"): (1 / 255, RGB),
    ("", "load_image"): (1 / 255, RGB),
    ("cv2", "imread"): (1.0, BGR),
    ("cv", "imread"): (1.0, BGR),
    ("cv2", "imdecode"): (1.0, BGR),
    ("Image", "open"): (1.0, RGB),
    ("io", "imread"): (1.0, RGB),
    ("misc", "imread"): (1.0, RGB),
    ("imageio", "imread"): (1.0, RGB),
}
"""By the last names: what a pixel of 1 becomes, and the order of the channels. io.py, load_image: img_as_float."""
OPENING = frozenset(name if name != "open" else owner for owner, name in _OPEN) | {"VideoCapture"}
"""One of these names is in all code that opens images."""
_GREY = ("IMREAD_GRAYSCALE", "CV_LOAD_IMAGE_GRAYSCALE", "LOAD_IMAGE_GRAYSCALE")
_COLOUR = ("IMREAD_COLOR", "CV_LOAD_IMAGE_COLOR")
_FLOATS = frozenset(["float", "float16", "float32", "float64", "float_", "single", "double", "f", "f4", "f8"])
_LEAST_MEAN = 20.0
"""Of the means of pixels from 0 to 255."""
_SPREAD = 1.5
"""By what factor the scales of channels differ that are told as one."""
_COLOURS = 3
_MOST = 1e9
"""The largest factor that is followed."""


_SMALL = 8
"""What is subtracted from classes that are counted anew, where 255 is to come of 0, and not from pixels."""


class Pixels(NamedTuple):
    """An array of images. opened: the value that a pixel of 1 has as it is opened; factor: by what it is multiplied
    then; mean: is one subtracted, None where that is not clear; order: RGB, BGR, or empty; axes: as `HWC`, empty where
    not known; is_whole: are the values whole numbers of 8 bits, None where that is not clear?
    """

    opened: float
    factor: float
    mean: bool | None
    order: str
    axes: str
    is_whole: bool | None
    spoilt: tuple[Spoilt, ...] = ()

    @property
    def unordered(self) -> Pixels:
        return self._replace(order="", axes="")


class Numbers(NamedTuple):
    """Numbers that are written out, in an array or one of them."""

    values: tuple[float, ...]


class Parts(NamedTuple):
    """Several values, as a function returns them."""

    values: tuple[Value, ...]


Value: TypeAlias = "Pixels | Numbers | Parts | str | None"


def opened(call: ast.Call) -> Pixels | None:
    """The image that a call opens."""
    before = call.func.value if isinstance(call.func, ast.Attribute) else None
    key = dotted(before).rpartition(".")[2] if before is not None else "", _last(call.func)
    if key not in _OPEN:
        return None
    value, order = _OPEN[key]
    found = Pixels(value, 1.0, False, order, "HWC", value == 1)
    told = [*call.args[1:], *(one.value for one in call.keywords)]
    if key == ("Image", "open"):
        return found._replace(axes="")  # as many channels as the file has
    if not told:
        return found
    flags = {_last(one) or (one.value if isinstance(one, ast.Constant) else None) for one in told}
    if len(told) == 1 and (flags <= {*_COLOUR, 1}) and 0 not in flags:
        return found
    is_grey = len(told) == 1 and (flags <= {*_GREY, 0})
    return found._replace(order="", axes="HW" if is_grey else "", is_whole=found.is_whole if is_grey else None)


def frame() -> Pixels:
    """What the camera or a film gives to cv2."""
    return Pixels(1.0, 1.0, False, BGR, "HWC", True)


def joined(one: Value, other: Value) -> Value:
    """What may be either."""
    if one == other or other == BLANK:
        return one
    if one == BLANK:
        return other
    if isinstance(one, Parts) and isinstance(other, Parts) and len(one.values) == len(other.values):
        return Parts(tuple(map(joined, one.values, other.values)))
    if not (isinstance(one, Pixels) and isinstance(other, Pixels)):
        return None
    if (one.opened, one.factor) != (other.opened, other.factor):
        return None
    return one._replace(
        mean=one.mean if one.mean == other.mean else None,
        order=one.order if one.order == other.order else "",
        axes=one.axes if one.axes == other.axes else "",
        is_whole=one.is_whole if one.is_whole == other.is_whole else None,
        spoilt=tuple(fault for fault in one.spoilt if fault in other.spoilt),
    )


def several(values: Sequence[Value]) -> Value:
    """A list of these."""
    if not values:
        return BLANK
    if all(isinstance(one, Numbers) for one in values):
        return Numbers(tuple(number for one in values if isinstance(one, Numbers) for number in one.values))
    found = values[0]
    for one in values[1:]:
        found = joined(found, one)
    return with_axis(found, 0)


def with_axis(value: Value, at: int) -> Value:
    if not isinstance(value, Pixels) or not value.axes:
        return value
    return value._replace(axes=f"{value.axes[:at]}N{value.axes[at:]}" if 0 <= at <= len(value.axes) else "")


def item(value: Value) -> Value:
    """One of several images."""
    if isinstance(value, Pixels):
        return value._replace(axes=value.axes[1:]) if value.axes.startswith("N") else value.unordered
    return value if value == MEAN else None


def sliced(value: Pixels, index: ast.expr) -> Value:
    """A part of an array, its axes in another order, or the array with one more."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    wide = sum(not _is_new(one) for one in parts if not _is_rest(one))
    if not value.axes or wide > len(value.axes) or sum(map(_is_rest, parts)) > 1:
        turns = any(isinstance(one, ast.Slice) and one.step is not None or _listed(one) for one in parts)
        return value._replace(axes="", order="" if turns else value.order)
    left, axes, order = list(value.axes), "", value.order
    for number, one in enumerate(parts):
        if _is_rest(one):
            more = sum(not _is_new(later) for later in parts[number + 1 :])
            while len(left) > more:
                axes += left.pop(0)
        elif _is_new(one):
            axes += "N"
        elif isinstance(one, ast.Slice):
            axis = left.pop(0)
            axes += axis
            if axis == "C":
                whole = one.lower is None and one.upper is None
                order = order if whole and one.step is None else _SWAPPED[order] if _is_back(one) else ""
        elif axis_order := _listed(one):
            axis = left.pop(0)
            axes += axis
            order = _SWAPPED[order] if axis == "C" and axis_order == [2, 1, 0] else "" if axis == "C" else order
        elif left.pop(0) != "N":  # one row, one channel, or whatever a mask holds
            return value.unordered
    return value._replace(axes=axes + "".join(left), order=order)


def permuted(value: Pixels, order: Sequence[ast.expr]) -> Pixels:
    """transpose(2, 0, 1), transpose((2, 0, 1)) or none of them."""
    if len(order) == 1 and isinstance(order[0], ast.Tuple | ast.List):
        order = order[0].elts
    if not order:
        return value._replace(axes=value.axes[::-1])
    numbers = [whole(one) for one in order]
    if any(one is None for one in numbers):  # FLIP_LEFT_RIGHT of PIL
        return value if len(order) == 1 and _last(order[0]) else value.unordered
    if sorted(one for one in numbers if one is not None) != list(range(len(value.axes))):
        return value._replace(axes="")
    return value._replace(axes="".join(value.axes[one] for one in numbers if one is not None))


def exchanged(value: Pixels, axes: Sequence[ast.expr]) -> Pixels:
    """swapaxes."""
    numbers = [whole(one) for one in axes]
    size = len(value.axes)
    if len(numbers) != 2 or any(one is None or not -size <= one < size for one in numbers):
        return value._replace(axes="")
    found = list(value.axes)
    one, other = (number or 0 for number in numbers)
    found[one], found[other] = found[other], found[one]
    return value._replace(axes="".join(found))


def moved(value: Pixels, axes: Sequence[ast.expr], is_rolled: bool) -> Pixels:
    """moveaxis, or rollaxis, which puts an axis before another."""
    numbers = [whole(one) for one in axes]
    size = len(value.axes)
    if is_rolled:
        numbers = [*numbers, 0][:2]
    if len(numbers) != 2 or any(one is None or not -size <= one < size for one in numbers):
        return value._replace(axes="")
    start, end = (number % size if number else 0 for number in numbers)
    if is_rolled and end > start:
        return value._replace(axes="")
    rest = value.axes[:start] + value.axes[start + 1 :]
    return value._replace(axes=rest[:end] + value.axes[start] + rest[end:])


def reshaped(value: Pixels, shape: Sequence[ast.expr], line: int, text: str) -> Pixels:
    """An array with colours last that gets three channels before height and width has them all mixed up."""
    if len(shape) == 1 and isinstance(shape[0], ast.Tuple | ast.List):
        shape = shape[0].elts
    sizes = [whole(one) for one in shape]
    places = [place for place, size in enumerate(sizes) if size == _COLOURS]
    if len(shape) not in (3, 4) or len(places) != 1 or any(isinstance(one, ast.Starred) for one in shape):
        return value._replace(axes="")
    is_first = places[0] == len(shape) - 3
    if value.axes in ("HWC", "NHWC") and is_first:
        return value._replace(axes="NCHW"[-len(shape) :], spoilt=(*value.spoilt, Spoilt(line, MIXED, text)))
    if value.axes == "CHW" and is_first or value.axes == "HWC" and places[0] == len(shape) - 1:
        return value._replace(axes=value.axes if len(shape) == 3 else f"N{value.axes}")
    return value._replace(axes="")


def cast(value: Pixels, type_: ast.expr | None) -> Pixels:
    """astype, or an array of a type."""
    name = type_.value if isinstance(type_, ast.Constant) else _last(type_) if type_ is not None else ""
    if not isinstance(name, str) or not name:
        return value._replace(is_whole=None) if type_ is not None else value
    if name in _FLOATS:
        return value._replace(is_whole=False)
    return value._replace(is_whole=True if name == "uint8" and value.factor * value.opened == 1 else None)


def turned(value: Pixels, code: ast.expr | None) -> Value:
    """cvtColor."""
    name = _last(code) if code is not None else ""
    before, _, after = name.removeprefix("COLOR_").removeprefix("CV_").partition("2")
    if {before, after} == {RGB, BGR}:
        # By the wrong one of the two names it does the same.
        return value._replace(order=_SWAPPED[value.order])
    if after == "GRAY":
        return value._replace(order="", axes="HW")
    return value._replace(order="", axes="HWC") if before == "GRAY" and after in (RGB, BGR) else None


def whole(node: ast.AST) -> int | None:
    """A whole number that is written out."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    value = node.value if isinstance(node, ast.Constant) else None
    return sign * value if isinstance(value, int) and not isinstance(value, bool) else None


def is_mean(name: str) -> bool:
    """Is it what people call the mean of images?"""
    return "mean" in name.lower() or name in ("mu", "avg", "average")


def less(value: Pixels, taken: Value, line: int, text: str, in_place: bool) -> Value:
    """value - taken."""
    spoilt = _in_place(value, taken, line, text) if in_place else ()
    if isinstance(taken, Numbers) and taken.values:
        if not any(taken.values):
            return value
        most = max(map(abs, taken.values)) / (value.opened * value.factor)
        is_int = len(taken.values) == 1 and isinstance(taken.values[0], int)
        if is_int and value.is_whole and _SMALL < taken.values[0] < 256 and not spoilt:
            spoilt = (Spoilt(line, WRAPS, text),)
        mean = True if most >= _LEAST_MEAN and value.mean is False and min(taken.values) > 0 else None
    elif taken == MEAN and value.mean is False:
        mean = True
    elif taken in (DRAWN, DRAWN_WHOLE):
        mean = value.mean
        kind = WRAPS if taken == DRAWN_WHOLE else IN_PLACE
        spoilt = (Spoilt(line, kind, text),) if value.is_whole and in_place else ()
    else:
        return None
    whole_still = value.is_whole if spoilt else False if not in_place else value.is_whole
    return value._replace(mean=mean, is_whole=whole_still, spoilt=(*value.spoilt, *spoilt))


def times(value: Pixels, by: Value, line: int, text: str, in_place: bool, is_division: bool = False) -> Value:
    """value * by, or value / by."""
    if not isinstance(by, Numbers) or not by.values or min(by.values) <= 0 or max(by.values) > _SPREAD * min(by.values):
        return None
    number = sum(by.values) / len(by.values)
    spoilt = _in_place(value, by, line, text) if in_place else ()
    is_whole = value.is_whole
    if is_division or not all(isinstance(one, int) for one in by.values):
        is_whole = value.is_whole if in_place else False
    factor = value.factor / number if is_division else value.factor * number
    if not 1 / _MOST < factor < _MOST:
        return None
    return value._replace(factor=factor, is_whole=is_whole, spoilt=(*value.spoilt, *spoilt))


def _in_place(value: Pixels, by: Value, line: int, text: str) -> tuple[Spoilt, ...]:
    """numpy refuses it, and before 1.10 it cut off what is behind the point."""
    has_fractions = isinstance(by, Numbers) and any(isinstance(one, float) for one in by.values)
    return (Spoilt(line, IN_PLACE, text),) if value.is_whole and has_fractions else ()


def _listed(node: ast.AST) -> list[int | None]:
    """The numbers in `[2, 1, 0]`."""
    return [whole(one) for one in node.elts] if isinstance(node, ast.List | ast.Tuple) else []


def _is_rest(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _is_new(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None or _last(node) == "newaxis"


def _is_back(part: ast.Slice) -> bool:
    return part.lower is None and part.upper is None and part.step is not None and whole(part.step) == -1


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def all_values(values: Iterable[Value]) -> Value:
    """What may be any of these."""
    found: Value = BLANK
    for one in values:
        found = joined(found, one)
    return found
