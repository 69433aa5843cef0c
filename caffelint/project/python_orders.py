"""What a class of Python shuffles: arrays whose rows belong together, each in an order of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

_IN_STEP = frozenset(["seed", "set_state", "setstate", "RandomState", "default_rng", "Random"])
"""What gives two shuffles the same order."""


class Apart(NamedTuple):
    """Two arrays that `method` shuffles one after the other, and that are read with one index.

    line: of the second shuffle. tops: the numbers of the tops that each of them is written to.
    """

    method: str
    line: int
    names: tuple[str, str]
    tops: tuple[int, int]


def shuffled_apart(methods: Iterable[ast.FunctionDef]) -> Iterator[Apart]:
    """In the order of the text; `random.shuffle`, `numpy.random.shuffle` and `permutation` alike."""
    methods = list(methods)
    written = [_written(method) for method in methods if method.name == "forward"]
    for method in methods if written else ():
        calls = [node for node in ast.walk(method) if isinstance(node, ast.Call)]
        if any(_name(call.func) in _IN_STEP for call in calls):
            continue
        shuffled: dict[str, int] = {}
        for call in calls:
            if _name(call.func) in ("shuffle", "permutation") and len(call.args) == 1 and not call.keywords:
                shuffled.setdefault(ast.unparse(call.args[0]), call.lineno)
        for tops in written:
            yield from _pairs(method.name, shuffled, tops)


def _pairs(method: str, shuffled: Mapping[str, int], tops: Mapping[tuple[str, str], int]) -> Iterator[Apart]:
    by_index: dict[str, list[tuple[str, int]]] = {}
    for (name, index), top in tops.items():
        if name in shuffled:
            by_index.setdefault(index, []).append((name, top))
    for found in by_index.values():
        for one, other in pairwise(found):
            yield Apart(method, max(shuffled[one[0]], shuffled[other[0]]), (one[0], other[0]), (one[1], other[1]))


def _written(forward: ast.FunctionDef) -> dict[tuple[str, str], int]:
    """The top that `top[0].data[...] = self.images[at]` writes, by the array and the index that are read."""
    found = {}
    tops = forward.args.args[2].arg if len(forward.args.args) > 2 else ""
    for node in ast.walk(forward):
        number = _top(node.targets[0], tops) if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if number is None:
            continue
        for part in ast.walk(node.value):  # type: ignore[attr-defined]
            if isinstance(part, ast.Subscript):
                found[ast.unparse(part.value), ast.unparse(part.slice)] = number
    return found


def _top(target: ast.expr, tops: str) -> int | None:
    """The number in `top[1].data[...]`."""
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        at = target.slice if isinstance(target, ast.Subscript) else None
        if isinstance(target.value, ast.Name):
            is_top = target.value.id == tops and isinstance(at, ast.Constant) and type(at.value) is int
            return at.value if is_top else None  # type: ignore[union-attr]
        target = target.value
    return None


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
