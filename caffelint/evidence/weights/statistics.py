"""What the values of a blob are like: read once, a piece at a time that fits a cache."""

from __future__ import annotations

import math
from collections.abc import Iterator
from hashlib import sha1
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from caffelint.caffe.weights.stored import StoredBlob

_known: WeakKeyDictionary[StoredBlob, Statistics | None] = WeakKeyDictionary()
_PIECE = 1 << 17
"""Values that are looked at in one go."""
_DECAYED = 1e-6
"""Times the largest weight of the blob: a filter that is smaller throughout has decayed to nothing."""
HALF_MOST = 65504.0
"""The largest number of float16."""


class Filters(NamedTuple):
    """The filters of weights, which are the rows along the first axis: how many.

    size: values of each. dead: numbers of those that are 0, or nothing beside the largest weight. constant: of those
    that are one number. copies: of those that are the same as an earlier one, which is given too; dead ones aside.
    """

    number: int
    size: int
    dead: list[int]
    constant: list[int]
    copies: list[tuple[int, int]]


class Statistics(NamedTuple):
    """values: how many there are. nan, inf: how many of them are not finite.

    Of all others: low, high, mean, std (the standard deviation), and zeros, how many are 0.

    filters: None for a blob of one axis.
    """

    values: int
    nan: int
    inf: int
    low: float
    high: float
    mean: float
    std: float
    zeros: int
    filters: Filters | None

    @property
    def bad(self) -> int:
        return self.nan + self.inf

    @property
    def largest(self) -> float:
        return max(abs(self.low), abs(self.high))

    @property
    def rms(self) -> float:
        """Root mean square."""
        return math.hypot(self.mean, self.std)


def statistics(blob: StoredBlob) -> Statistics | None:
    """None for a blob without values. They are read once only. Needs numpy."""
    if blob not in _known:
        import numpy as np

        values = blob.values()
        with np.errstate(all="ignore"):
            _known[blob] = _statistics(np, values, *_rows(blob)) if len(values) else None
    return _known[blob]


def _rows(blob: StoredBlob) -> tuple[int, int]:
    """How many filters it has, and the values of each; 1 and all of them where it has one axis."""
    first = next(
        (axis for axis, dim in enumerate(blob.shape) if dim != 1), len(blob.shape)
    )  # after ones of old formats
    axes = blob.shape[first:]
    if len(axes) > 1 and min(axes) > 0 and blob.count == math.prod(axes):
        return axes[0], blob.count // axes[0]
    return 1, blob.count


def _pieces(np: Any, values: Any, rows: int, size: int) -> Iterator[Any]:
    """Blocks of whole rows; of a single row, parts."""
    step = _PIECE if rows == 1 else max(1, _PIECE // size) * size
    for at in range(0, rows * size, step):
        part = np.array(values[at : at + step], np.float32)  # a copy, as numbers in the file are not aligned
        yield part.reshape(-1, len(part) if rows == 1 else size)


def _statistics(np: Any, values: Any, rows: int, size: int) -> Statistics:
    lows, highs, sums = [], [], []
    nan = inf = zeros = 0
    low, high, total, squares = math.inf, -math.inf, 0.0, 0.0
    for block in _pieces(np, values, rows, size):
        lows.append(np.minimum.reduce(block, axis=1))
        highs.append(np.maximum.reduce(block, axis=1))
        sums.append(np.add.reduce(block, axis=1))
        flat = block.reshape(-1)
        least, most = float(np.min(lows[-1])), float(np.max(highs[-1]))
        if not (math.isfinite(least) and math.isfinite(most)):
            nan += int(np.isnan(flat).sum())
            inf += int(np.isinf(flat).sum())
            flat = flat[np.isfinite(flat)]
            least, most = (float(flat.min()), float(flat.max())) if len(flat) else (math.inf, -math.inf)
        low, high = min(low, least), max(high, most)
        one, two = _sums(np, flat)
        total, squares = total + one, squares + two
        zeros += len(flat) - int(np.count_nonzero(flat))
    finite = len(values) - nan - inf
    if not finite:
        low = high = math.nan
    mean = total / max(1, finite)
    std = math.sqrt(max(0.0, squares / max(1, finite) - mean * mean))
    filters = None
    if rows > 1:
        filters = _filters(np, values, size, *(np.concatenate(one) for one in (lows, highs, sums)))
    return Statistics(len(values), nan, inf, low, high, mean, std, zeros, filters)


def _sums(np: Any, flat: Any) -> tuple[float, float]:
    """Of the values and of their squares, in float64 where float32 does not hold them."""
    total, squares = float(np.add.reduce(flat)), float(np.dot(flat, flat))
    if math.isfinite(total) and math.isfinite(squares):
        return total, squares
    wide = flat.astype(np.float64)
    return float(np.add.reduce(wide)), float(np.dot(wide, wide))


def _filters(np: Any, values: Any, size: int, low: Any, high: Any, sums: Any) -> Filters:
    largest = np.maximum(np.abs(low), np.abs(high))
    most = float(np.max(np.where(np.isfinite(largest), largest, 0)))
    dead = largest <= _DECAYED * most
    constant = (low == high) & ~dead
    copies = _copies(np, values, size, low, high, sums, dead | constant) if size > 1 else []
    return Filters(len(low), size, np.flatnonzero(dead).tolist(), np.flatnonzero(constant).tolist(), copies)


def _copies(np: Any, values: Any, size: int, low: Any, high: Any, sums: Any, left_out: Any) -> list[tuple[int, int]]:
    """Compared are only filters of the same range and sum."""
    order = np.lexsort((sums, high, low))
    first, second = order[:-1], order[1:]
    alike = (low[first] == low[second]) & (high[first] == high[second]) & (sums[first] == sums[second])
    candidates = np.zeros(len(low), bool)
    candidates[first[alike]] = candidates[second[alike]] = True
    seen: dict[bytes, int] = {}
    copies = []
    for row in np.flatnonzero(candidates & ~left_out).tolist():
        data = sha1(values[row * size : (row + 1) * size].tobytes(), usedforsecurity=False).digest()
        if data in seen:
            copies.append((row, seen[data]))
        seen.setdefault(data, row)
    return copies
