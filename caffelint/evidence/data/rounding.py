"""Values of a wide type that become one as float32, which Caffe reads (values.py, Rounded). Needs numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caffelint.evidence.data.values import Rounded

Array = NDArray[Any]
_MOST_COLUMNS = 4096
_HALF = 0.5
_SEVERAL, _FEW_STEPS = 2, 4
_OWN_SHARE = 1e-10
"""Of a value: what is nearer may be how it was computed."""
_OWN_STEPS = 1 << 12
"""Of float64: values that are nearer are one, but for how they were computed."""


def rounded(rows: Array, file: str) -> Rounded | None:
    """The column of such records that float32 leaves the smallest share of; None where it leaves more than half of all.

    Only those are counted whose range has fewer steps of float32 than there are records.
    """
    if rows.dtype.itemsize <= np.dtype(np.float32).itemsize and rows.dtype.kind == "f" or len(rows) < 2:
        return None
    flat = rows.reshape(len(rows), -1)
    if not 0 < flat.shape[1] <= _MOST_COLUMNS:
        return None
    lows, highs = flat.min(axis=0).astype(np.float64), flat.max(axis=0).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.spacing(np.maximum(np.abs(lows), np.abs(highs)).astype(np.float32)).astype(np.float64)
        own = np.spacing(np.maximum(np.abs(lows), np.abs(highs)))
        few = (highs - lows > _OWN_STEPS * own) & ((highs - lows) < steps * len(rows)) & np.isfinite(steps)
    found = None
    for column in np.flatnonzero(few):
        values = np.unique(flat[:, column])
        left = len(np.unique(values.astype(np.float32)))
        share = left / len(values)
        if share <= _HALF and (found is None or share < found.left / found.different):
            at = int(column) if flat.shape[1] > 1 else -1
            low, high, step = float(lows[column]), float(highs[column]), float(steps[column])
            found = Rounded(file, rows.dtype.name, at, len(values), left, low, high, step)
    return found or _within(flat, file, rows.dtype.name, float(lows.min()), float(highs.max()))


def _within(flat: Array, file: str, type_: str, low: float, high: float) -> Rounded | None:
    """What tells the values of a record from each other, as of moments soon after one another, if float32 has no steps
    for it in most records."""
    if flat.shape[1] < _SEVERAL:
        return None
    flat = flat.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = np.abs(flat).max(axis=1)
        steps = np.spacing(sizes.astype(np.float32)).astype(np.float64)
        apart = flat.max(axis=1) - flat.min(axis=1)
        lost = (apart > _OWN_SHARE * sizes) & (apart < _FEW_STEPS * steps) & np.isfinite(steps)
    if not lost.mean() > _HALF:
        return None
    return Rounded(file, type_, -1, 0, 0, low, high, float(np.median(steps[lost])), float(np.median(apart[lost])))
