"""What a class of Python changes in the arrays that it keeps, and in its bottoms: a slice is a view, and no copy."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from caffelint.project.python_nodes import walk
from caffelint.text.records import NamedTuple

ONCE = ("setup", "__init__")
"""Methods that run once, before all others."""
_MOST = 1000


class ChangedView(NamedTuple):
    """An array of an object, or the data of a bottom, that `method` changes at each call, by a `view` of it.

    line: where. number: of the bottom, or -1.
    """

    method: str
    line: int
    name: str
    view: str
    number: int = -1


class _Store(NamedTuple):
    """Where a name is given a value."""

    line: int
    column: int
    name: str


def changed_views(methods: Iterable[ast.FunctionDef]) -> Iterator[ChangedView]:
    """In the order of the text. Of an array that other methods than those that run once make anew, nothing is told."""
    methods = [method for method in methods if method.name not in ONCE]
    anew = {
        own_array(target)
        for method in methods
        for node in walk(method)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    for method in methods:
        nodes = walk(method)
        stores = _stores(nodes)
        for node in nodes:
            for block in ("body", "orelse"):
                statements = getattr(node, block, None)
                # An elif is a block of one If, below all before it: going through each would take the square of them.
                if isinstance(statements, list) and not (len(statements) == 1 and isinstance(statements[0], ast.If)):
                    yield from (one for one in _in_order(method.name, statements, stores) if one.name not in anew)


def _stores(nodes: Iterable[ast.AST]) -> list[_Store]:
    stored = (node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return sorted(_Store(node.lineno, node.col_offset, node.id) for node in stored)


def _in_order(method: str, statements: list[ast.stmt], stores: Sequence[_Store]) -> Iterator[ChangedView]:
    views: dict[str, str] = {}
    for statement in statements:
        if isinstance(statement, ast.AugAssign):
            view = _name(statement.target)
            if view in views:
                yield _changed(method, statement, views[view], view)
            elif whole := _of_bottom(_inner(statement.target)):
                yield _changed(method, statement, whole, whole)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Subscript) and _name(target) in views:
                    yield _changed(method, statement, views[_name(target)], _name(target))
                elif whole := _of_bottom(_inner(target)):
                    yield _changed(method, statement, whole, whole)
                elif isinstance(target, ast.Name):
                    views.pop(target.id, None)
                    if name := _sliced(statement.value):
                        views[target.id] = name
        elif views:  # what a block makes of a name is not followed
            begin = bisect_left(stores, (statement.lineno, statement.col_offset))
            end = bisect_left(stores, (statement.end_lineno or 0, statement.end_col_offset or 0))
            for store in stores[begin:end]:
                views.pop(store.name, None)


def _changed(method: str, statement: ast.stmt, name: str, view: str) -> ChangedView:
    number = name.partition("[")[2].partition("]")[0]
    return ChangedView(method, statement.lineno, name, view, int(number) if number else -1)


def _inner(target: ast.AST) -> ast.AST | None:
    """`bottom[0].data` of `bottom[0].data[...]`."""
    return target.value if isinstance(target, ast.Subscript) else None


def _of_bottom(node: ast.AST | None) -> str:
    """`bottom[0].data`; "" of all else."""
    if not isinstance(node, ast.Attribute) or node.attr != "data" or not isinstance(node.value, ast.Subscript):
        return ""
    blob, number = node.value.value, node.value.slice
    is_one = isinstance(number, ast.Constant) and isinstance(number.value, int) and 0 <= number.value < _MOST
    is_bottom = isinstance(blob, ast.Name) and blob.id in ("bottom", "bottoms")
    return f"bottom[{number.value}].data" if is_bottom and is_one else ""  # type: ignore[attr-defined]


def _name(target: ast.expr) -> str:
    """`batch` of `batch` and of `batch[...]`."""
    inner = target.value if isinstance(target, ast.Subscript) else target
    return inner.id if isinstance(inner, ast.Name) else ""


def own_array(node: ast.AST) -> str:
    """`self.images`; "" of all else."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return f"self.{node.attr}" if is_own else ""  # type: ignore[attr-defined]


def _sliced(value: ast.expr) -> str:
    """The array in `self.images[a:b]`, or `self.images[a:b, 0]`, or `bottom[0].data`; "" of what takes a copy."""
    if whole := _of_bottom(value):
        return whole
    if not isinstance(value, ast.Subscript):
        return ""
    parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
    is_view = any(isinstance(part, ast.Slice | ast.Constant) for part in parts)
    if whole := _of_bottom(value.value) if is_view else "":
        return whole
    return own_array(value.value) if any(isinstance(part, ast.Slice) for part in parts) else ""
