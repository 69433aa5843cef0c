"""How often Python scripts step the solvers that they build, where their text leaves no doubt of it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from caffelint.project.mentions import Stepped
from caffelint.project.python_blobs import Paths, values_set
from caffelint.project.python_nodes import asks_for_main, dotted, exits, script_nodes, walk_all

_STEPS = ".step("
_MOST = 1 << 31
"""No solver counts further: Solver::Step takes an int."""
_DEEPEST = 8
"""Names and sums within each other that a number is followed through."""
_NAMES = (ast.Name, ast.Attribute)
_LEAVES = (ast.Break, ast.Continue, ast.Yield, ast.YieldFrom)
_RANGES = frozenset(["range", "xrange"])


@lru_cache(maxsize=2000)
def stepped(text: str) -> tuple[Stepped, ...]:
    """The iterations that each solver of a script runs if nothing stops that: with constants as they are written.

    Nothing of a solver that it steps in another place as well, so often as is not known, and of one whose file is not.
    """
    if _STEPS not in text or "olver(" not in text:
        return ()
    nodes = script_nodes(text)
    values = values_set(nodes)
    paths, numbers = Paths(values), _Numbers(values)
    steps = Counter(_stepped_by(node) for node in nodes)
    named = {one.id if isinstance(one, ast.Name) else one.attr for one in nodes if isinstance(one, _NAMES)}
    scopes = (one for one in nodes if isinstance(one, ast.Module | ast.FunctionDef))
    found: list[Stepped] = []
    for scope in (one for one in scopes if isinstance(one, ast.Module) or one.name in named):
        for key, places in _steps(scope.body, numbers).items():
            built = values.get(key)
            path = paths.of(built.args[0]) if isinstance(built, ast.Call) and built.args else ""
            if path and len(places) == steps[key]:
                found.append(Stepped(path, places[-1][0], sum(number for _, number in places)))
    return tuple(found)


def _steps(body: Iterable[ast.stmt], numbers: _Numbers) -> Mapping[str, list[tuple[int, int]]]:
    """Of each solver that a scope builds, where it steps it in any case, by lines, and by how many iterations."""
    built: dict[str, int] = {}
    found: dict[str, list[tuple[int, int]]] = {}
    for node, times in _runs(body, 1, numbers):
        call = node.value
        if isinstance(node, ast.Assign) and isinstance(call, ast.Call):
            if dotted(call.func).endswith(("Solver", "get_solver")):
                built.update((dotted(target), times) for target in node.targets)
        key = _stepped_by(call)
        if key in built and isinstance(call, ast.Call) and len(call.args) == 1:
            number = numbers.of(call.args[0])
            if number is not None and times > 0:
                # A loop around both builds another solver each time.
                found.setdefault(key, []).append((node.lineno, number * times // built[key]))
    return found


def _runs(body: Iterable[ast.stmt], times: int, numbers: _Numbers) -> Iterator[tuple[ast.Assign | ast.Expr, int]]:
    """The statements that run in any case, so many times each; Python nests no more than 100 blocks."""
    for node in body:
        if isinstance(node, ast.Assign | ast.Expr):
            yield node, times
        elif isinstance(node, ast.For):
            loops = numbers.times(node)
            if loops is not None and not any(map(_leaves, walk_all(node.body))):
                yield from _runs(node.body, loops * times, numbers)
        elif isinstance(node, ast.With | ast.Try) or (isinstance(node, ast.If) and asks_for_main(node)):
            yield from _runs(node.body, times, numbers)


def _leaves(node: ast.AST) -> bool:
    return isinstance(node, _LEAVES) or (isinstance(node, ast.Return | ast.Expr) and exits(node))


def _stepped_by(node: ast.AST) -> str:
    """The solver that a call steps; empty for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "step":
        return ""
    return dotted(node.func.value)


class _Numbers:
    """What whole numbers the expressions of a script are. values: those of the names that one statement sets."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def of(self, node: ast.expr, depth: int = 0) -> int | None:
        """None where it is not known, or no whole number."""
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int and node.value < _MOST else None
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.BinOp):
            left, right = self.of(node.left, depth + 1), self.of(node.right, depth + 1)
            return None if left is None or right is None else _computed(node.op, left, right)
        value = self._values.get(dotted(node))
        return None if value is None else self.of(value, depth + 1)

    def times(self, loop: ast.For) -> int | None:
        """How often a loop over a range goes round; None where that is not known."""
        call = loop.iter
        if not isinstance(call, ast.Call) or dotted(call.func) not in _RANGES or not 1 <= len(call.args) <= 3:
            return None
        given = [self.of(one) for one in call.args]
        whole = [one for one in given if one is not None]
        if len(whole) < len(given) or (len(whole) == 3 and not whole[2]):
            return None
        return len(range(*whole))


def _computed(op: ast.operator, left: int, right: int) -> int | None:
    if isinstance(op, ast.Add):
        return left + right
    if isinstance(op, ast.Sub):
        return left - right
    if isinstance(op, ast.Mult):
        return left * right
    return left // right if isinstance(op, ast.FloorDiv) and right else None
