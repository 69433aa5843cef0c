"""Nets that Python scripts test while they train by a solver, and that never get the trained weights."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from caffelint.project.mentions import Tested
from caffelint.project.python_blobs import Paths, values_set
from caffelint.project.python_nodes import asks_for_main, key_of, own_nodes, script_nodes, walk

_TELLS = ("olver(", "Net(", ".forward(")
_GIVES = ("share_with", "share_weights", ".params", "test_nets", "set_data", "setattr(", "exec(")
"""What gives a net weights, or may; and the nets that a solver gives them itself."""
_TRAINS = frozenset(["step", "solve"])
_Scope = ast.Module | ast.FunctionDef


@lru_cache(maxsize=2000)
def untrained(text: str) -> Tested | None:
    """The net that a script builds once for TEST, before it trains, and runs after that as it was.

    None where it builds another, or hands this one, or weights, to what may bring them together.
    """
    if not all(word in text for word in _TELLS) or any(word in text for word in _GIVES):
        return None
    nodes = script_nodes(text)
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    nets = [node for node in calls if _last(node.func) == "Net"]
    solvers = [node for node in calls if _last(node.func).endswith(("Solver", "get_solver"))]
    if len(nets) != 1 or len(solvers) != 1 or not any(_last(one) == "TEST" for one in nets[0].args):
        return None
    values = values_set(nodes)
    named = {id(value): key for key, value in values.items()}
    net, solver, path = named.get(id(nets[0])), named.get(id(solvers[0])), Paths(values).of_net(nets[0])
    if not net or not solver or not path or _is_given(nodes, net, solver):
        return None
    inside = [(one, own_nodes(one)) for one in nodes if isinstance(one, ast.Module | ast.FunctionDef)]
    training = [(scope, own, first) for scope, own in inside if (first := _first_step(scope, solver)) is not None]
    built = next(scope for scope, own in inside if nets[0] in own)
    if len(training) != 1:
        return None
    scope, own, first = training[0]
    made = nets[0] if built is scope else _made(nodes, built, nets[0])
    # Before the loop that trains, or at the top of the module before the function that does.
    if made is None or made.lineno >= (first if made in own else scope.body[0].lineno):
        return None
    if made not in own and made not in inside[0][1]:
        return None
    later = [node for node in own if getattr(node, "lineno", 0) >= first]
    used = {key_of(node) for node in later}
    is_run = any(_runs(node, net) for node in later)
    for other, parts in inside:
        if other is not scope and other is not built and any(_runs(node, net) for node in parts):
            name = named.get(id(made), "") if net.startswith("self.") else getattr(other, "name", "")
            is_run |= name in used
    return Tested(path, nets[0].lineno) if is_run else None


def _is_given(nodes: Sequence[ast.AST], net: str, solver: str) -> bool:
    """Is the net handed on, fed by the one that is trained, or given weights? The trained one may copy any."""
    whole = sum(1 for node in nodes if key_of(node) == net)
    parts = [key_of(node.value) for node in nodes if isinstance(node, ast.Attribute)]
    # One more sets it.
    if whole - 1 > parts.count(net):
        return True
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "copy_from" and key_of(node.value) != f"{solver}.net":
            return True
        if isinstance(node, ast.Assign) and f"{solver}.net.blobs" in map(key_of, walk(node.value)):
            if any(key_of(part) == f"{net}.blobs" for target in node.targets for part in walk(target)):
                return True
    return False


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of a scope, and those in what is for the script that is started; Python nests no more than 100 blocks."""
    for one in body:
        if isinstance(one, ast.With | ast.Try) or (isinstance(one, ast.If) and asks_for_main(one)):
            yield from _statements(one.body)
        elif not isinstance(one, ast.FunctionDef | ast.ClassDef):
            yield one


def _first_step(scope: _Scope, solver: str) -> int | None:
    """The line where a scope begins to train: that of the loop around the first step."""
    lines = (
        one.lineno
        for one in _statements(scope.body)
        for node in own_nodes(one)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TRAINS
        if key_of(node.func.value) == solver
    )
    return min(lines, default=None)


def _made(nodes: Sequence[ast.AST], built: _Scope, net: ast.Call) -> ast.Call | None:
    """What builds the net: the call of it, or the only one of the function or class in which that is."""
    if isinstance(built, ast.Module):
        return net
    name = built.name
    if name == "__init__":
        name = next((one.name for one in nodes if isinstance(one, ast.ClassDef) and built in one.body), "")
    uses = {node for node in nodes if isinstance(node, ast.Name) and node.id == name}
    found = [node for node in nodes if isinstance(node, ast.Call) and node.func in uses]
    return found[0] if len(found) == len(uses) == 1 else None


def _runs(node: ast.AST, net: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "forward" and key_of(node.value) == net


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else key_of(node)
