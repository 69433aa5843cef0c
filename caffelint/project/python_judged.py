"""What Python scripts read of the training net of a solver after they have run it forward by themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from caffelint.project.mentions import Judged
from caffelint.project.python2 import parse
from caffelint.project.python_nodes import dotted, own_nodes, walk

_RUNS = ".net.forward("
_TESTS, _LEARNS = "test_nets", ".backward("
"""The nets of a solver for tests, and what a training by hand calls after its forward pass."""
_MOST_NODES = 50_000
"""Of a script that is understood."""


@lru_cache(maxsize=2000)
def judged(text: str) -> tuple[Judged, ...]:
    """Where a script runs the training net of a solver that it makes, forward alone, and reads blobs of it after that.

    Not where it knows of the nets for tests, or hands gradients back itself.
    """
    if _RUNS not in text or "olver" not in text or _TESTS in text or _LEARNS in text:
        return ()
    tree, _ = parse(text)
    nodes = walk(tree) if tree is not None else []
    if tree is None or len(nodes) > _MOST_NODES:
        return ()
    solvers = {
        f"{dotted(target)}.net"
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if dotted(node.value.func).endswith(("Solver", "get_solver"))
        for target in node.targets
    }
    scopes = [tree, *(node for node in nodes if isinstance(node, ast.FunctionDef))] if solvers else []
    return tuple(one for scope in scopes for net in sorted(solvers) for one in _judged(own_nodes(scope), net))


def _judged(nodes: Sequence[ast.AST], net: str) -> Iterator[Judged]:
    runs = [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Call) and dotted(node.func) == f"{net}.forward" and not node.args
        if not any(word.arg in (None, "start", "end") for word in node.keywords)
    ]
    if runs:
        last = max(runs)
        after = [node for node in nodes if isinstance(node, ast.Attribute) and node.lineno > last]
        yield Judged(last, tuple(sorted({name for node in after if (name := _read(node, net))})))


def _read(node: ast.Attribute, net: str) -> str:
    """`accuracy` of `solver.net.blobs["accuracy"].data`, which it reads."""
    if node.attr != "data" or not isinstance(node.ctx, ast.Load):
        return ""
    blob = node.value
    if not isinstance(blob, ast.Subscript) or dotted(blob.value) != f"{net}.blobs":
        return ""
    return str(blob.slice.value) if isinstance(blob.slice, ast.Constant) else ""
