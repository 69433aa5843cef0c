"""Loops of a Python layer that do nothing: what was to be done for each blob stands below, and is done for the last."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from caffelint.project.python_nodes import walk


def idle_loops(statements: Sequence[ast.stmt], bottom: str) -> Iterator[tuple[int, str]]:
    """The line and the variable of each such loop, of which something below numbers a bottom.

    `for i in range(2): if not propagate_down[i]: continue`, and then `bottom[i].diff[...] = ...` outside of it.
    """
    for at, loop in enumerate(statements):
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or not _does_nothing(loop.body):
            continue
        if ast.unparse(loop.iter) in ("range(1)", "xrange(1)"):
            continue
        name = loop.target.id
        for later in statements[at + 1 :]:
            used = [node for node in walk(later) if isinstance(node, ast.Name) and node.id == name]
            if any(not isinstance(node.ctx, ast.Load) for node in used):
                break
            if any(isinstance(node, ast.Subscript) and _is_numbered(node, bottom, name) for node in walk(later)):
                yield loop.lineno, name
                break


def _does_nothing(body: Sequence[ast.stmt]) -> bool:
    """Is there nothing in it but what goes on to the next?"""
    return all(
        isinstance(one, ast.Continue | ast.Pass)
        or isinstance(one, ast.If)
        and _does_nothing(one.body)
        and _does_nothing(one.orelse)
        for one in body
    )


def _is_numbered(node: ast.Subscript, bottom: str, name: str) -> bool:
    """Is it `bottom[i]`?"""
    return (
        isinstance(node.value, ast.Name)
        and isinstance(node.slice, ast.Name)
        and node.slice.id == name
        and node.value.id == bottom
    )
