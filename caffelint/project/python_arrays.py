"""What the methods of a Python layer do with the arrays of their blobs, as far as their text says."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from caffelint.project.python_nodes import walk
from caffelint.project.python_shapes import numbered
from caffelint.text.records import NamedTuple

_WRITTEN = {"forward": "data", "backward": "diff"}
"""What Caffe reads after a method: forward writes the data of its tops, backward the diff of its bottoms."""
_SAME_SHAPE = frozenset(["copy", "astype"])
_ELEMENTWISE = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_LONGEST = 300
_FUNCTIONS = frozenset(["add", "subtract", "multiply", "divide", "power", "maximum", "minimum"])


class Rebound(NamedTuple):
    """A name of a blob's array that is given another array, so that nothing is copied into the blob.

    array: as in `top[0].data`.
    """

    line: int
    name: str
    array: str
    number: int


class Elementwise(NamedTuple):
    """The data of two bottoms in one computation, value by value, by their numbers. text: as written."""

    line: int
    first: int
    second: int
    text: str


def rebound(function: ast.FunctionDef, certain: Sequence[ast.stmt], blobs: str) -> Iterator[Rebound]:
    """`x = top[0].data`, then `x = ...`, where the method has nothing else that might write to it.

    blobs: what the method calls the blobs that it is to write.
    """
    attribute = _WRITTEN.get(function.name, "")
    nodes = list(walk(function))
    blobs_of = {node.value for node in nodes if isinstance(node, ast.Attribute)}
    owners = {
        node.value
        for node in nodes
        if isinstance(node, ast.Subscript) and node in blobs_of and numbered(node, blobs) is not None
    }
    if any(isinstance(node, ast.Name) and node.id == blobs and node not in owners for node in nodes):
        return  # it is given to something that may write to it
    used = Counter(
        numbered(node.value, blobs) for node in nodes if isinstance(node, ast.Attribute) and node.attr == attribute
    )
    mentions: dict[str, list[int]] = {}
    elsewhere = Counter(node.id for node in nodes if isinstance(node, ast.Name))
    for at, statement in enumerate(certain):
        names = Counter(node.id for node in walk(statement) if isinstance(node, ast.Name))
        if not isinstance(statement, ast.FunctionDef):
            elsewhere.subtract(names)
        for name in names:
            mentions.setdefault(name, []).append(at)
    bound_at: dict[int, dict[str, ast.expr]] = {}
    for at, statement in enumerate(certain):
        for name, value in _bound(statement):
            number = numbered(value.value, blobs) if isinstance(value, ast.Attribute) else None
            if number is None or not isinstance(value, ast.Attribute) or value.attr != attribute or used[number] > 1:
                continue
            if elsewhere[name] > 0:  # as in a function within, or where it depends on something
                continue
            later = bisect_right(mentions[name], at)
            next_ = mentions[name][later] if later < len(mentions[name]) else at
            if next_ not in bound_at:
                bound_at[next_] = dict(_bound(certain[next_])) if isinstance(certain[next_], ast.Assign) else {}
            bound = bound_at[next_] if next_ > at else {}
            if name in bound and not _mentions(bound[name], name):
                yield Rebound(certain[next_].lineno, name, f"{blobs}[{number}].{attribute}", number)


def elementwise(certain: Sequence[ast.stmt], bottoms: str) -> Iterator[Elementwise]:
    """Where a method computes with the data of two of its bottoms as they are, value by value.

    bottoms: what it calls them. A name is followed if it is bound once.
    """
    bound: dict[str, int | None] = {}
    for statement in certain:
        for node in walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound[node.id] = None if node.id in bound else -1
    for statement in certain:
        for name, value in _bound(statement):
            if bound.get(name) == -1:
                bound[name] = _data_of(value, bottoms, {})
    numbers = {name: number for name, number in bound.items() if number is not None and number >= 0}
    for statement in certain:
        for node in walk(statement):
            pair: Sequence[ast.expr] = ()
            if isinstance(node, ast.BinOp) and isinstance(node.op, _ELEMENTWISE):
                pair = node.left, node.right
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FUNCTIONS:
                pair = node.args[:2]
            first, second = ([_data_of(one, bottoms, numbers) for one in pair] + [None, None])[:2]
            if isinstance(node, ast.expr) and first is not None and second is not None and first != second:
                yield Elementwise(node.lineno, first, second, written(node))


def written(node: ast.expr) -> str:
    """The text of an expression; of one that fills lines, which calls within calls repeat, that there is more."""
    if node.end_lineno != node.lineno or (node.end_col_offset or 0) - node.col_offset > _LONGEST:
        return "..."
    try:
        return ast.unparse(node)
    except RecursionError:  # from some hundred attributes of each other on
        return "..."


def _bound(statement: ast.stmt | None) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment binds, each with its value."""
    for target in statement.targets if isinstance(statement, ast.Assign) else ():
        assert isinstance(statement, ast.Assign)
        if isinstance(target, ast.Name):
            yield target.id, statement.value
        elif isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            for one, value in zip(target.elts, statement.value.elts, strict=False):
                if isinstance(one, ast.Name):
                    yield one.id, value


def own_attributes(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names in `self.name = value` and `self.name += value`, each with the value."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    for target in targets:
        assert isinstance(node, ast.Assign | ast.AugAssign)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            yield target.attr, node.value


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in walk(node))


def _data_of(node: ast.expr, bottoms: str, numbers: dict[str, int]) -> int | None:
    """The number of the bottom whose data an expression is, in the shape of that."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME_SHAPE:
        node = node.func.value
    if isinstance(node, ast.Name):
        return numbers.get(node.id)
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return numbered(node.value, bottoms)
    return None
