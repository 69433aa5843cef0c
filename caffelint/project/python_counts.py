"""How many bottoms or tops the checks of a Python layer let pass."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from caffelint.project.python_nodes import children

_MOST = 64
"""Blobs of a layer; no check asks for more."""
_LONGEST = 100
"""Nodes of a test: 64 counts are tried on each."""
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


class _Unknown(Exception):
    """The value hangs on more than the number of blobs."""


def allowed_counts(statements: Iterable[ast.stmt], blobs: str) -> Iterator[tuple[frozenset[int], int]]:
    """For each check among statements that run in any case: the counts of `blobs` that pass it, and its line."""
    for node in statements:
        test: ast.expr | None = None
        passes = True
        if isinstance(node, ast.Assert):
            test = node.test
        elif isinstance(node, ast.If) and any(isinstance(inner, ast.Raise) for inner in node.body):
            test, passes = node.test, False
        if test is not None:
            if _is_about(test, blobs):
                allowed = frozenset(count for count in range(_MOST) if _holds(test, blobs, count) in (passes, None))
                yield allowed, node.lineno
        elif not isinstance(node, ast.If | ast.For | ast.With | ast.Try | ast.While):
            last = max(_indices(node, blobs), default=-1)
            if last >= 0:
                yield frozenset(range(last + 1, _MOST)), node.lineno


def _is_about(test: ast.expr, blobs: str) -> bool:
    """Whether a test is one of the number of blobs, and not longer than people write them."""
    nodes = list(islice(ast.walk(test), _LONGEST + 1))
    return len(nodes) <= _LONGEST and any(isinstance(node, ast.Name) and node.id == blobs for node in nodes)


def _indices(node: ast.stmt, blobs: str) -> Iterator[int]:
    """The numbers of the blobs that a statement takes in any case: `top[1].reshape(1)`."""
    waiting: list[ast.AST] = [node]
    while waiting:
        one = waiting.pop()
        if (
            isinstance(one, ast.Subscript)
            and isinstance(one.value, ast.Name)
            and one.value.id == blobs
            and isinstance(one.slice, ast.Constant)
            and isinstance(one.slice.value, int)
        ):
            yield one.slice.value
        if not isinstance(one, ast.IfExp | ast.BoolOp | ast.Lambda | ast.FunctionDef | ast.ClassDef | ast.ListComp):
            waiting += children(one)


def _holds(node: ast.expr, blobs: str, count: int) -> bool | None:
    """Whether a test holds for that many blobs; None where that hangs on more."""
    if isinstance(node, ast.BoolOp):
        values = {_holds(one, blobs, count) for one in node.values}
        decides = isinstance(node.op, ast.Or)
        return decides if decides in values else None if None in values else not decides
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        value = _holds(node.operand, blobs, count)
        return None if value is None else not value
    try:
        return bool(_value(node, blobs, count))
    except _Unknown:
        return None


def _value(node: ast.expr, blobs: str, count: int) -> Any:
    """The value of a test for that many blobs. Raises `_Unknown`."""
    if isinstance(node, ast.Compare):
        values = [_value(one, blobs, count) for one in (node.left, *node.comparators)]
        try:
            return all(
                _COMPARISONS[type(compare)](left, right)
                for compare, left, right in zip(node.ops, values, values[1:], strict=False)
            )
        except (KeyError, TypeError):
            raise _Unknown from None
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return [_value(one, blobs, count) for one in node.elts]
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
        and node.args[0].id == blobs
    ):
        return count
    raise _Unknown
