"""What Python scripts read of the training net of a solver after they have run it forward by themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from caffelint.project.mentions import Judged
from caffelint.project.python_blobs import Paths, times_set, values_set
from caffelint.project.python_nodes import dotted, own_nodes, script_nodes

_RUNS = ".net.forward("
_TESTS, _LEARNS = "test_nets", ".backward("
"""The nets of a solver for tests, and what a training by hand calls after its forward pass."""


@lru_cache(maxsize=2000)
def judged(text: str) -> tuple[Judged, ...]:
    """Where a script runs the training net of a solver that it makes, forward alone, and reads blobs of it after that.

    Not where it knows of the nets for tests, or hands gradients back itself.
    """
    if _RUNS not in text or "olver" not in text or _TESTS in text or _LEARNS in text:
        return ()
    nodes = script_nodes(text)
    built = {
        f"{dotted(target)}.net": node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if dotted(node.value.func).endswith(("Solver", "get_solver"))
        for target in node.targets
    }
    if not built:
        return ()
    sets = times_set(nodes)
    paths = Paths(values_set(nodes))
    solvers = {
        net: paths.of(call.args[0]) if call.args and sets[net.removesuffix(".net")] == 1 else ""
        for net, call in built.items()
    }
    scopes = [node for node in nodes if isinstance(node, ast.Module | ast.FunctionDef)]
    return tuple(one for scope in scopes for one in _judged(own_nodes(scope), solvers))


def _judged(nodes: Sequence[ast.AST], solvers: Mapping[str, str]) -> Iterator[Judged]:
    last: dict[str, int] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and (net := _run(node)) in solvers:
            last[net] = max(node.lineno, last.get(net, 0))
    names: dict[str, set[str]] = {net: set() for net in last}
    read = ((node.lineno, *_read(node)) for node in nodes if isinstance(node, ast.Attribute)) if last else ()
    for line, net, name in read:
        if line > last.get(net, line):
            names[net].add(name)
    for net in sorted(last):
        yield Judged(last[net], tuple(sorted(names[net])), solvers[net])


def _run(node: ast.Call) -> str:
    """The net that `solver.net.forward()` runs from its first to its last layer; empty for anything else."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "forward":
        return ""
    is_whole = not node.args and not any(word.arg in (None, "start", "end") for word in node.keywords)
    return dotted(node.func.value) if is_whole else ""


def _read(node: ast.Attribute) -> tuple[str, str]:
    """`solver.net` and `accuracy` of `solver.net.blobs["accuracy"].data`, which it reads; empty for anything else."""
    if node.attr != "data" or not isinstance(node.ctx, ast.Load):
        return "", ""
    blob = node.value
    if not isinstance(blob, ast.Subscript) or not isinstance(blob.slice, ast.Constant):
        return "", ""
    of = blob.value
    if not isinstance(of, ast.Attribute) or of.attr != "blobs":
        return "", ""
    return dotted(of.value), str(blob.slice.value)
