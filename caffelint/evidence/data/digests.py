"""A number for each image by which equal ones are found. Needs numpy.

Two sums of its words, each times a random number, modulo 2**64: as fast as memory. One sum tells apart what differs in
the low halves of words, the other one, of their high halves alone, what differs there.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha1
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_WORD = 8
_BLOCK = 1 << 19
"""Bytes that have numbers of their own."""
_AGAIN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


def digests(rows: Array) -> Array:
    """Of records x bytes, each without gaps: an int64 each, the same in all processes, never 0."""
    count, size = rows.shape
    found = np.full(count, size, np.uint64)
    for start in range(0, size, _BLOCK):
        found = found * _AGAIN + _block(rows[:, start : start + _BLOCK])
    found[found == 0] = 1
    marks: Array = found.view(np.int64)
    return marks


def joined(before: Array, more: Array) -> Array:
    """Of records with several parts: 0 only where those of all are."""
    with np.errstate(over="ignore"):
        both: Array = (before.view(np.uint64) * _AGAIN + more.view(np.uint64)).view(np.int64)
    return both


def _block(rows: Array) -> Array:
    count, size = rows.shape
    words = size // _WORD
    values = rows[:, : words * _WORD].view(np.uint64)
    low, high = _keys()
    one = np.einsum("ij,j->i", values, low[:words])
    other = np.einsum("ij,j->i", values >> _HALF, high[:words])
    if size % _WORD:
        rest = np.zeros((count, _WORD), np.uint8)
        rest[:, : size % _WORD] = rows[:, words * _WORD :]
        last = rest.view(np.uint64)[:, 0]
        one += last * low[words]
        other += (last >> _HALF) * high[words]
    mixed: Array = one ^ (other >> np.uint64(7)) ^ (other << np.uint64(57))
    return mixed


def digest(data: bytes) -> int:
    """The same of one record."""
    return int(digests(np.frombuffer(data, np.uint8)[None])[0]) if data else 0


def file_digest(data: bytes) -> int:
    """Of an encoded image, for which the arrays of `digests` are too much ado."""
    return int.from_bytes(sha1(data, usedforsecurity=False).digest()[:_WORD], "little", signed=True) or 1


@lru_cache(maxsize=1)
def _keys() -> tuple[Array, Array]:
    """Random numbers, by SplitMix64."""
    count = _BLOCK // _WORD
    state = np.arange(1, 2 * count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return state[:count].copy(), state[count:].copy()
