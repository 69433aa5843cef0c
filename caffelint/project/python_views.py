"""What a class of Python changes in the arrays that it keeps: a slice of an array is a view, and no copy."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from caffelint.project.python_nodes import walk
from caffelint.text.records import NamedTuple

ONCE = ("setup", "__init__")
"""Methods that run once, before all others."""


class ChangedView(NamedTuple):
    """An array of an object that `method` changes at each call, by a `view` of it; line: where."""

    method: str
    line: int
    name: str
    view: str


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
        for node in walk(method):
            for block in ("body", "orelse"):
                statements = getattr(node, block, None)
                # An elif is a block of one If, below all before it: going through each would take the square of them.
                if isinstance(statements, list) and not (len(statements) == 1 and isinstance(statements[0], ast.If)):
                    yield from (one for one in _in_order(method.name, statements) if one.name not in anew)


def _in_order(method: str, statements: list[ast.stmt]) -> Iterator[ChangedView]:
    views: dict[str, str] = {}
    for statement in statements:
        if isinstance(statement, ast.AugAssign):
            view = _name(statement.target)
            if view in views:
                yield ChangedView(method, statement.lineno, views[view], view)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Subscript) and _name(target) in views:
                    yield ChangedView(method, statement.lineno, views[_name(target)], _name(target))
                elif isinstance(target, ast.Name):
                    views.pop(target.id, None)
                    if name := _sliced(statement.value):
                        views[target.id] = name
        elif views:
            for node in walk(statement):  # what a block makes of a name is not followed
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    views.pop(node.id, None)


def _name(target: ast.expr) -> str:
    """`batch` of `batch` and of `batch[...]`."""
    inner = target.value if isinstance(target, ast.Subscript) else target
    return inner.id if isinstance(inner, ast.Name) else ""


def own_array(node: ast.AST) -> str:
    """`self.images`; "" of all else."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return f"self.{node.attr}" if is_own else ""  # type: ignore[attr-defined]


def _sliced(value: ast.expr) -> str:
    """The array in `self.images[a:b]` and `self.images[a:b, 0]`; "" of what takes a copy, or may."""
    if not isinstance(value, ast.Subscript):
        return ""
    parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
    return own_array(value.value) if any(isinstance(part, ast.Slice) for part in parts) else ""
