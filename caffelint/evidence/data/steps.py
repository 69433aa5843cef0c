"""How far values differ that are some steps apart in memory: in which order do the axes of an image lie there?

Neighbours in an image are alike, whatever it shows. Where those of the declared axes are not, but those of the same
values read as height x width x channels are, the image was written so. Needs numpy to measure, but not to judge.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffelint.evidence.data.images import Array

INTERLEAVED, SWAPPED, LAST = "interleaved", "swapped", "last"
"""What images really are that are declared as channels x height x width: height x width x channels; channels x width x
height; and what has its height as channels, its width as height and its channels last."""
_INTERLEAVED = {"pixel", "interleaved 1"}
_MOST_COLOURS = 4
_LEAST_SIDE = 6
_SOME, _PLACES = 16, 512
_FEWEST = 8
"""Images: fewer may be odd."""
_LESS, _STILL, _FAR, _GROWS, _PART = 0.6, 0.9, 1.4, 1.1, 0.75
"""Of what values in neighbouring declared rows differ by, at most those in the next and in the third true row; times
what the next row differs by, at least far rows and the third one, unlike a pattern that repeats; and of what values of
two pixels differ by, at most those of one that is grey."""


def steps_of(rows: Array) -> dict[str, float]:
    """The mean differences of some images, by what lies between the values, summed over these; {} for no images.

    rows: images x channels x height x width.
    """
    if rows.ndim != 4 or not len(rows):
        return {}
    channels, height, width = rows.shape[1:]
    if min(height, channels if width <= _MOST_COLOURS else width) < _LEAST_SIDE:
        return {}
    rows = rows[:: max(1, len(rows) // _SOME)][:_SOME]
    flat, plane = rows.reshape(len(rows), -1), height * width
    found = {"images": float(len(rows)), "right": _apart(flat, 0, 1, 1)}
    if channels > 1:
        found["plane"] = _apart(flat, 0, plane, 1)
    found.update(_down(flat, "", width, height, plane))
    colours = channels if 2 <= channels <= _MOST_COLOURS else 0
    if colours:
        found["pixel"] = _apart(flat, 0, colours, 1)
        found.update(_down(flat, INTERLEAVED, colours * width, height, plane))
    if height != width:
        found.update(_down(flat, SWAPPED, height, width, plane))
    if 2 < width <= _MOST_COLOURS and channels >= _LEAST_SIDE:
        colours = width
        found["pixel"] = _apart(flat, 0, width, 1)
        found.update(_down(flat, LAST, plane, channels, plane))
    if colours:
        found["within"] = _apart(flat, 0, 1, colours)
        found["between"] = _apart(flat, colours - 1, 1, colours)
    return found if all(map(math.isfinite, found.values())) else {}


def _down(flat: Array, name: str, row: int, rows: int, plane: int) -> dict[str, float]:
    """Of values one row, three rows and half an image apart, if a row is so long."""
    lags = (("1", row), ("3", 3 * row), ("far", rows // 2 * row))
    size = flat.shape[1]
    return {f"{name} {which}": _apart(flat, 0, lag, 1, plane) for which, lag in lags if lag < size}


def _apart(flat: Array, first: int, lag: int, step: int, plane: int = 0) -> float:
    """The sum over images of the mean difference of values `lag` apart, at every so many places from the first on.

    plane: a size that both are to lie in where the lag is smaller, since a pattern need not go on from one to the next.
    """
    import numpy as np

    count = (flat.shape[1] - first - lag - 1) // step
    places = first + step * np.unique(np.linspace(0, count, min(_PLACES, count + 1)).astype(int))
    if lag < plane:
        within = places[places % plane < plane - lag]
        places = within if len(within) else places
    some, others = (flat[:, at].astype(np.float64) for at in (places, places + lag))
    return float(np.abs(some - others).mean(axis=1).sum())


def read_as(steps: Mapping[str, float]) -> str:
    """What the images are, as one of the words above; "" where they are what is declared, or that does not show."""
    if steps.get("images", 0) < _FEWEST:
        return ""
    coloured = steps.get("pixel", math.inf) < _LESS * steps["right"]
    coloured = coloured or steps.get("within", math.inf) < _PART * steps.get("between", 0)
    asked = (INTERLEAVED, LAST) if coloured else (SWAPPED,)
    able = [name for name in asked if _goes_on(steps, name)]
    return min(able, key=lambda name: steps[f"{name} 1"]) if able else ""


def read_unlike(steps: Mapping[str, float], others: Mapping[str, float]) -> str:
    """INTERLEAVED where images seem to be so and others, which are for the same, surely are not; else "".

    Images that look the same all over, as leaves do, have far rows that are like near ones.
    """
    if (
        min(one.get("images", 0) for one in (steps, others)) < _FEWEST
        or not steps.keys() == others.keys() >= _INTERLEAVED
    ):
        return ""
    # A declared row may be a whole number of pixels long.
    is_so = max(steps["pixel"], steps["interleaved 1"]) < _LESS * steps["right"]
    is_not = min(others["pixel"], others["interleaved 1"]) > _STILL * others["right"]
    return INTERLEAVED if is_so and is_not else ""


def _goes_on(steps: Mapping[str, float], name: str) -> bool:
    """Are values in near rows alike if rows are as long as that, unlike those of far and of declared rows?"""
    near, third, far = (steps.get(f"{name} {which}") for which in ("1", "3", "far"))
    if near is None or third is None or far is None or not min(third / _GROWS, far / _FAR) > near:
        return False
    if name == LAST:
        return far > _FAR * steps["pixel"]
    if name == SWAPPED and steps["right"] < near:
        return False  # rows that are smooth in themselves, as signals over time
    return near < _LESS * steps[" 1"] and third < _STILL * steps[" 1"] and steps.get("plane", far) > _FAR * near
