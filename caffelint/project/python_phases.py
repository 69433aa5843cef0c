"""What a Python layer does only where its phase is set: in TEST, which is 1, as TRAIN is 0."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from caffelint.project.python_nodes import is_self, walk, walk_all

_RANDOM = "random"


def drawn_where_phase_is_set(forward: Iterable[ast.AST], code: Sequence[ast.AST]) -> int:
    """The line of `if self.phase:`, or 0, below which random numbers are drawn, and not in its `else`.

    forward: what runs in it. code: all of the class, which tells what keeps a generator, as `np.random.RandomState()`.
    """
    kept = {
        target.attr
        for node in code
        if isinstance(node, ast.Assign) and _draws(walk(node.value), frozenset())
        for target in node.targets
        if isinstance(target, ast.Attribute) and is_self(target.value)
    }
    for node in forward:
        if isinstance(node, ast.If) and _is_phase(node.test):
            body, other = walk_all(node.body), walk_all(node.orelse)
            if _draws(body, kept) and not _draws(other, kept):
                return node.lineno
    return 0


def _is_phase(test: ast.expr) -> bool:
    return isinstance(test, ast.Attribute) and test.attr == "phase" and is_self(test.value)


def _draws(nodes: Iterable[ast.AST], kept: Iterable[str]) -> bool:
    """Is there `np.random`, `random.` or what the class keeps of these?"""
    return any(
        isinstance(node, ast.Attribute)
        and (
            node.attr == _RANDOM
            or node.attr in kept
            and is_self(node.value)
            or isinstance(node.value, ast.Name)
            and node.value.id == _RANDOM
        )
        for node in nodes
    )
