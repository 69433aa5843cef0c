"""A number for each image by which equal ones are found. Needs numpy.

Two sums of its words, each times a random number, modulo 2**64: as fast as memory. A sum tells apart what differs in
the low bytes of words, the other one, over words with their bytes reversed, what differs in the high ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_WORD = 8


def digests(rows: Array) -> Array:
    """Of records x bytes, all of one size: an int64 each, the same in all processes, never 0."""
    count, size = rows.shape
    words = -(-size // _WORD)
    if size % _WORD:
        padded = np.zeros((count, words * _WORD), np.uint8)
        padded[:, :size] = rows
        rows = padded
    values = np.ascontiguousarray(rows).view(np.uint64)
    low, high = _keys(1 << max(words - 1, 1).bit_length())
    one = np.einsum("ij,j->i", values, low[:words])
    other = np.einsum("ij,j->i", values.byteswap(), high[:words])
    mixed = one ^ (other >> np.uint64(7)) ^ (other << np.uint64(57)) ^ np.uint64(size)
    mixed[mixed == 0] = 1
    found: Array = mixed.view(np.int64)
    return found


def digest(data: bytes) -> int:
    return int(digests(np.frombuffer(data, np.uint8)[None])[0]) if data else 0


@lru_cache(maxsize=8)
def _keys(count: int) -> tuple[Array, Array]:
    """Random numbers, by SplitMix64."""
    state = np.arange(1, 2 * count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state[:count].copy(), state[count:].copy()
