"""The values of records that lie far beyond those of nearly all others (values.py, Farthest). Needs numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caffelint.evidence.data.values import BEYOND, EXAMPLES, NEARLY_ALL, REPEATED, Farthest, times_beyond

Array = NDArray[Any]
_USUAL = 20
_MOST_COLUMNS = 4096
_DENSE = 0.02
"""Of the largest of a column: what half of its values exceed, unless it is mostly empty as a corner of images is."""
_HALF = 0.5


def farthest_of(rows: Array, name: Callable[[int], str]) -> Farthest | None:
    """Of so many records (records x values) that it is known what is usual; else None."""
    if len(rows) < _USUAL:
        return None
    whole = _of_all(rows, name)
    return whole if whole.is_far else _of_column(rows, name) or whole


def _of_all(rows: Array, name: Callable[[int], str]) -> Farthest:
    lows, highs = rows.min(axis=1), rows.max(axis=1)
    sizes = np.maximum(np.abs(lows), np.abs(highs))
    row = int(np.argmax(sizes))
    limit = float(np.sort(sizes)[int(NEARLY_ALL * (len(sizes) - 1))])
    value = float(lows[row] if -lows[row] == sizes[row] else highs[row])
    times = times_beyond(rows[np.abs(rows) > 2 * limit]) if sizes[row] > REPEATED * limit else BEYOND
    beyond = [int(other) for other in np.flatnonzero(sizes > times * limit) if other != row]
    others = [name(other) for other in beyond[:EXAMPLES]]
    return Farthest(name(row), value, limit, len(beyond), others, times == REPEATED)


def _of_column(rows: Array, name: Callable[[int], str]) -> Farthest | None:
    """Where one value of a column, in at most half of the records, is far beyond all others of the column.

    Those of other columns may be as large, so that no record stands out.
    """
    if rows.shape[1] > _MOST_COLUMNS:
        return None
    sizes = np.abs(rows)
    most = sizes.max(axis=0)
    is_most = sizes == most
    rest = np.where(is_most, 0, sizes).max(axis=0)
    counts = is_most.sum(axis=0)
    far = (most > np.where(counts > 1, REPEATED, BEYOND) * rest) & (rest > 0) & (counts <= _HALF * len(rows))
    found = None
    for column in map(int, np.flatnonzero(far)):
        there = np.flatnonzero(is_most[:, column])
        values = rows[there, column]
        others = np.delete(sizes[:, column], there)
        if values.min() != values.max() or np.median(others) < _DENSE * rest[column]:
            continue
        is_odd = len(there) > 1 or values[0] < 0 <= np.delete(rows[:, column], there).min()
        if not is_odd or _are_counts(rows[:, column]):
            continue
        one, *more = (name(int(row)) for row in there[: EXAMPLES + 1])
        limit = float(rest[column])
        seen = Farthest(one, float(values[0]), limit, len(there) - 1, more, len(there) > 1, column)
        if found is None or abs(seen.value) * found.limit > abs(found.value) * limit:
            found = seen
    return found


def _are_counts(values: Array) -> bool:
    """Whole numbers of 0 and more, of which a few are large."""
    return bool(values.min() >= 0 and (values % 1 == 0).all())
