"""The one layer of many that differs from all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from caffelint.lint import NamedTuple, compiled_later
from caffelint.lint.built import BuiltLayer

LEAST = 5
"""How many others have to be alike for one to be odd."""

_NUMBER = compiled_later(r"\d+[a-z]?(?![a-zA-Z])|\d+")


class Odd(NamedTuple):
    """The one layer of many that has another value, and the value of all others."""

    layer: BuiltLayer
    value: Any
    others: Any
    many: int


def odd_one(rows: Sequence[tuple[BuiltLayer, Any]], ends: bool = True) -> Odd | None:
    """The only one of at least six that differs from the others; without `ends` not the first or the last."""
    if len(rows) <= LEAST:
        return None
    counts = Counter(value for _, value in rows)
    if len(counts) != 2 or min(counts.values()) != 1:
        return None
    usual, many = counts.most_common(1)[0]
    layer, value = next(row for row in rows if row[1] != usual)
    return None if not ends and layer in (rows[0][0], rows[-1][0]) else Odd(layer, value, usual, many)


def family(name: str) -> str:
    """The name of a layer without its numbers: `res#_branch#` of `res4f_branch2a`."""
    return _NUMBER.sub("#", name)
