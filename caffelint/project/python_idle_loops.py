"""Loops of a Python layer that do nothing: what was to be done for each blob stands below, and is done for the last."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from caffelint.project.python_nodes import walk


class _Numbered(ast.Subscript):
    """What is numbered by a name."""

    slice: ast.Name


def idle_loops(statements: Sequence[ast.stmt], bottom: str) -> Iterator[tuple[int, str]]:
    """The line and the variable of each such loop, of which something below numbers a bottom.

    `for i in range(2): if not propagate_down[i]: continue`, and then `bottom[i].diff[...] = ...` outside of it.
    """
    found: list[tuple[int, str]] = []
    takes_up: dict[str, bool] = {}
    """Of each name, whether the next statement that has it to its purpose numbers a bottom by it, or sets it anew."""
    for one in reversed(statements):
        if isinstance(one, ast.For) and isinstance(one.target, ast.Name) and _does_nothing(one.body):
            if takes_up.get(one.target.id) and not _is_once(one.iter):
                found.append((one.lineno, one.target.id))
        nodes = walk(one)
        takes_up.update(dict.fromkeys((node.slice.id for node in nodes if _is_numbered(node, bottom)), True))
        set_anew = (node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
        takes_up.update(dict.fromkeys(set_anew, False))
    yield from reversed(found)


def _is_once(iterable: ast.expr) -> bool:
    """Is it `range(1)`?"""
    return (
        isinstance(iterable, ast.Call)
        and isinstance(iterable.func, ast.Name)
        and iterable.func.id in ("range", "xrange")
        and not iterable.keywords
        and [isinstance(one, ast.Constant) and one.value == 1 for one in iterable.args] == [True]
    )


def _does_nothing(body: Sequence[ast.stmt]) -> bool:
    """Is there nothing in it but what goes on to the next?"""
    left = [*body]
    while left:
        one = left.pop()
        if isinstance(one, ast.If):
            left += (*one.body, *one.orelse)
        elif not isinstance(one, ast.Continue | ast.Pass):
            return False
    return True


def _is_numbered(node: ast.AST, bottom: str) -> TypeGuard[_Numbered]:
    """Is it `bottom[i]`?"""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and isinstance(node.slice, ast.Name)
        and node.value.id == bottom
    )
