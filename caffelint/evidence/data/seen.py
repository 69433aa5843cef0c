"""Looks at arrays of records: ends, sums, what is not finite, constant or a class. Needs numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caffelint.evidence.data.farthest import farthest_of
from caffelint.evidence.data.steps import steps_of
from caffelint.evidence.data.values import (
    BELOW,
    CONSTANT,
    EXAMPLES,
    INF,
    MOST_CHANNELS,
    MOST_VALUES,
    NAN,
    SCALAR,
    Channel,
    Fault,
    Top,
)

Array = NDArray[Any]
Name = Callable[[int], str]
"""The name of a record by its number in the batch."""
_OF_MEAN, _OF_SPREAD = 4, 32
"""Of bytes, in large batches, mean and spread are of every so many records; the ends are of all.

The spread of a large image is of every so many of its values.
"""
_LARGE_BATCH, _LARGE_IMAGE = 1 << 20, 1 << 15
_FEW = 8
_MOST_SQUARED = 1e12
_LONGEST_BINS = 1 << 20
_AT_ONCE = 1 << 22


def seen_images(rows: Array, name: Name, classes: bool = False) -> Top:
    """What is in a batch of records of one shape. classes: do the values stand for classes, one by one?"""
    count = len(rows)
    shape = rows.shape[1:]
    top = Top(records=count, shapes={"x".join(map(str, shape)): Fault(count, [name(0)])})
    flat = rows.reshape(count, -1)
    if not count or not flat.shape[1]:
        return top
    if rows.dtype.kind == "f" and not (np.isfinite(flat.min()) and np.isfinite(flat.max())):  # nan goes through both
        _not_finite(top, flat, name)
        flat_finite = np.where(np.isfinite(flat), flat, np.nan)
        top.channels = [_finite_channel(flat_finite)]
    else:
        split = len(shape) == 3 and shape[0] <= MOST_CHANNELS
        top.channels = _channels(rows.reshape(count, shape[0] if split else 1, -1))
        top.steps = steps_of(rows)
        if flat.shape[1] > 1:
            _constant(top, flat, name)
        if not classes and rows.dtype.kind == "f":
            top.farthest = farthest_of(flat, name)
    if classes:
        _classes(top, flat, name)
    return top


def seen_pictures(counts: Array, shape: Sequence[int], name: Name, classes: bool = False) -> Top:
    """The same as `seen_images` of pictures of bytes, channels x height x width, by their histograms.

    counts: of each picture, 256 for each band, as Pillow gives them: red before blue.
    """
    number = len(counts)
    counts = counts.reshape(number, -1, 256)
    bands = counts.shape[1]
    order = [2, 1, 0, *range(3, bands)] if bands > 1 else [0]
    top = Top(records=number, shapes={"x".join(map(str, shape)): Fault(number, [name(0)])})
    values = np.arange(256.0)
    for band in order:
        whole = counts[:, band].sum(axis=0)
        there = np.flatnonzero(whole)
        size, total = int(whole.sum()), float(whole @ values)
        squares = float(whole @ values**2)
        top.channels.append(Channel(size, total, size, squares, total, float(there[0]), float(there[-1])))
    of_all = counts.sum(axis=1)
    rows = np.flatnonzero((of_all > 0).sum(axis=1) == 1)
    if len(rows) and of_all[0].sum() > 1:
        top.faults[CONSTANT] = Fault(len(rows), [name(int(row)) for row in rows[:EXAMPLES]])
    if classes:
        every = of_all.sum(axis=0)
        top.values = {float(value): int(every[value]) for value in np.flatnonzero(every)}
        top.first_of = {value: name(int(np.argmax(of_all[:, int(value)] > 0))) for value in top.values}
    return top


def seen_labels(values: Array, name: Name) -> Top:
    """What is in a batch of single values, in the order of the records."""
    count = len(values)
    top = Top(records=count, shapes={SCALAR: Fault(count, [name(0)])} if count else {})
    if not count:
        return top
    values = values.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        _not_finite(top, values.reshape(-1, 1), name)
        values = values[finite]
        if not len(values):
            return top
    top.channels = _channels(values.reshape(1, 1, -1))
    _classes(top, values.reshape(-1, 1), name)
    if finite.all():
        top.farthest = farthest_of(values.reshape(-1, 1), name)
    top.first, top.last = float(values[0]), float(values[-1])
    top.changes = int(np.count_nonzero(values[1:] != values[:-1]))
    return top


def _not_finite(top: Top, flat: Array, name: Name) -> None:
    for kind, wrong in ((NAN, np.isnan(flat)), (INF, np.isposinf(flat)), (BELOW, np.isneginf(flat))):
        rows = np.flatnonzero(wrong.any(axis=1))
        if len(rows):
            top.faults[kind] = Fault(len(rows), [name(int(row)) for row in rows[:EXAMPLES]])


def _constant(top: Top, flat: Array, name: Name) -> None:
    """Records whose values are all the same: looked at closely where a few of them are."""
    size = flat.shape[1]
    looks = sorted({size // 7, size // 3, size // 2, size - 1})
    alike = (flat[:, looks] == flat[:, :1]).all(axis=1)
    rows = [int(row) for row in np.flatnonzero(alike) if (flat[row] == flat[row, 0]).all()]
    if rows:
        top.faults[CONSTANT] = Fault(len(rows), [name(row) for row in rows[:EXAMPLES]])


def _channels(planes: Array) -> list[Channel]:
    """Of records x channels x values."""
    channels = planes.shape[1]
    some, few = planes, planes
    first, then = (0, 1) if len(planes) >= _FEW else (2, 0)  # the fast order
    lows, highs = planes.min(axis=first).min(axis=then), planes.max(axis=first).max(axis=then)
    if planes.dtype == np.uint8 and planes.nbytes >= _LARGE_BATCH and len(planes) >= _OF_MEAN:
        some, few = planes[::_OF_MEAN], planes[::_OF_SPREAD]
    elif planes.dtype == np.uint8 and planes[0].size >= _LARGE_IMAGE:
        few = planes[:, :, ::_OF_SPREAD]
    elif planes.dtype != np.uint8 and not _is_exact_enough(planes, lows, highs):
        some = few = planes.astype(np.float64, copy=False)
    fits = np.uint32 if some.shape[2] < 1 << 24 else np.uint64
    wide = fits if some.dtype == np.uint8 else some.dtype
    totals = some.sum(axis=2, dtype=wide).sum(axis=0, dtype=np.float64)
    found = []
    for number in range(channels):
        part = few[:, number].ravel()
        part = part.astype(np.float32, copy=False) if part.dtype == np.uint8 else part
        found.append(
            Channel(
                len(some) * some.shape[2],
                float(totals[number]),
                part.size,
                float(np.dot(part, part)),
                float(part.sum(dtype=np.float64)),
                float(lows[number]),
                float(highs[number]),
            )
        )
    return found


def _is_exact_enough(planes: Array, lows: Array, highs: Array) -> bool:
    """Can float32 hold the sums of squares of these float32? numpy adds them in pairs and BLAS in many lanes."""
    return planes.dtype == np.float32 and planes.shape[2] >= _FEW and max(highs.max(), -lows.min()) < _MOST_SQUARED


def _finite_channel(flat: Array) -> Channel:
    finite = flat[~np.isnan(flat)].astype(np.float64)
    return _channels(finite.reshape(1, 1, -1))[0] if finite.size else Channel()


def _classes(top: Top, flat: Array, name: Name) -> None:
    """Count the values one by one, while they are few."""
    finite = flat if flat.dtype.kind in "iu" else flat[np.isfinite(flat)]
    if flat.dtype.kind == "f":
        top.is_whole = bool((finite == np.floor(finite)).all())
    low, high = (finite.min(), finite.max()) if finite.size else (0, 0)
    if top.is_whole and low >= 0 and high < _LONGEST_BINS and finite.size > 256:
        every = finite.ravel()
        counts = np.zeros(int(high) + 1, np.int64)
        for start in range(0, len(every), _AT_ONCE):
            counts += np.bincount(every[start : start + _AT_ONCE].astype(np.int64), minlength=len(counts))
        values, numbers = np.flatnonzero(counts), counts[counts > 0]
    else:
        values, numbers = np.unique(finite, return_counts=True)
    if len(values) > MOST_VALUES:
        return
    top.values = {_number(value): int(number) for value, number in zip(values, numbers, strict=True)}
    if len(flat) and len(values) <= 4096:
        top.first_of = _firsts(flat, values, name)


def _firsts(flat: Array, values: Array, name: Name) -> dict[float, str]:
    """The first record that has each value."""
    if flat.shape[1] == 1:
        found, at = np.unique(flat[:, 0], return_index=True)
        return {_number(v): name(int(i)) for v, i in zip(found, at, strict=True) if not math.isnan(v)}
    ends = values[[0, -1]] if len(values) * flat.size > _AT_ONCE else values
    return {_number(v): name(int(np.argmax((flat == v).any(axis=1)))) for v in ends}


def _number(value: Any) -> float:
    return float(value)
