"""What a class of Python changes only where a value of its param_str is set."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from caffelint.project.python_nodes import inside, walk
from caffelint.text.records import NamedTuple


class Switched(NamedTuple):
    """Names that are given what is made of their own values, and the line of the first."""

    names: tuple[str, ...]
    line: int


def switched(setup: Iterable[ast.AST], running: Iterable[ast.AST], key: str) -> Switched | None:
    """What code that runs at each call changes where an attribute is set that the key of the param_str gives.

    setup: the code in which attributes get their values.
    """
    pairs = (pair for node in setup if isinstance(node, ast.Assign) for pair in _pairs(node))
    attributes = {
        target.attr
        for target, value in pairs
        if isinstance(target, ast.Attribute) and any(_is_key(one, key) for one in walk(value))
    }

    def depending(node: ast.AST) -> Iterable[ast.AST]:
        is_one = isinstance(node, ast.If) and not attributes.isdisjoint(_attributes(node.test))
        return node.body if is_one else ()  # type: ignore[attr-defined]

    found: dict[str, int] = {}
    changing = [one for one in inside(running, depending) if isinstance(one, ast.Assign | ast.AugAssign)]
    for one in sorted(changing, key=lambda one: one.lineno):
        for name in _changed(one):
            found.setdefault(name, one.lineno)
    return Switched(tuple(found), min(found.values())) if found else None


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its value, also of several at once."""
    for target in node.targets:
        values = node.value.elts if isinstance(node.value, ast.Tuple) else []
        if isinstance(target, ast.Tuple) and len(target.elts) == len(values):
            yield from zip(target.elts, values, strict=True)
        else:
            yield target, node.value


def _is_key(node: ast.AST, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


def _attributes(test: ast.expr) -> set[str]:
    return {node.attr for node in walk(test) if isinstance(node, ast.Attribute)}


def _changed(node: ast.Assign | ast.AugAssign) -> Iterable[str]:
    """`im = im[:, ::-1]` and `im += noise`, also of several at once."""
    if isinstance(node, ast.AugAssign):
        return _names(node.target)
    read = set(_names(node.value))
    return [name for target in node.targets for name in _names(target) if name in read]


def _names(node: ast.AST) -> list[str]:
    return [one.id for one in walk(node) if isinstance(one, ast.Name)]
