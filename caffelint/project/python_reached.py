"""Which code of the modules of a Python layer may run: what its class, and what is in no function, lead to by name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence

from caffelint.project.python_nodes import asks_for_main, children, dotted, is_dead, walk
from caffelint.project.python_unbound import names_bound_by
from caffelint.text.records import NamedTuple

_OF_CAFFE = frozenset(["setup", "reshape", "forward", "backward"])
_PARTS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Part(NamedTuple):
    """A function or class, or a module, without those in it: `inner`, their numbers among all parts of the module.

    runs: does it run whenever what it is in does, whatever names it? words: all that it may call another part by.
    """

    name: str
    runs: bool
    words: frozenset[str]
    lines: frozenset[int]
    inner: Sequence[int]


def parts_of(tree: ast.Module) -> Sequence[Part]:
    """The module first."""
    found: list[Part] = []
    switches = _switches(tree)
    scopes: list[tuple[ast.AST, bool]] = [(tree, True)]
    for scope, runs in scopes:
        words: set[str] = set()
        lines: set[int] = set()
        inner: list[int] = []
        waiting = children(scope)
        for node in waiting:
            lines.add(getattr(node, "lineno", 0))
            if isinstance(node, _PARTS):
                inner.append(len(scopes))
                scopes.append((node, _runs(node, scope)))
            elif isinstance(node, ast.If) and (is_dead(node.test) or asks_for_main(node)):
                waiting += node.orelse
            elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id in switches:
                waiting += node.body if switches[node.test.id] else node.orelse
            else:
                words.update(_words(node))
                waiting += children(node)
        found.append(Part(getattr(scope, "name", ""), runs, frozenset(words), frozenset(lines), inner))
    return found


def _switches(tree: ast.Module) -> dict[str, bool]:
    """The names that stand for one constant all over a module, as `DEBUG = False`, and whether it is true."""
    times = Counter(name for node in walk(tree) for name in names_bound_by(node))
    set_ = (node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant))
    return {
        name.id: bool(node.value.value)
        for node in set_
        if isinstance(node.value, ast.Constant)
        for name in node.targets
        if isinstance(name, ast.Name) and times[name.id] == 1
    }


def lines_reached(modules: Sequence[Sequence[Part]], name: str) -> list[set[int]]:
    """The lines of each module that a layer of the class of that name may run."""
    lines: list[set[int]] = [set() for _ in modules]
    known = {name, *_OF_CAFFE}
    waiting: dict[str, list[tuple[int, int]]] = {}
    reached = [(module, 0) for module in range(len(modules))]
    for module, number in reached:
        part = modules[module][number]
        lines[module] |= part.lines
        for one in part.inner:
            inner = modules[module][one]
            is_led_to = inner.runs or inner.name in known
            (reached if is_led_to else waiting.setdefault(inner.name, [])).append((module, one))
        for word in part.words - known:
            known.add(word)
            reached += waiting.pop(word, ())
    return lines


def _runs(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: ast.AST) -> bool:
    """What a decorator takes, what Python calls itself, and what a base from elsewhere may call."""
    if not isinstance(node, ast.ClassDef) and isinstance(scope, ast.ClassDef):
        bases = [dotted(one).rpartition(".")[2] for one in scope.bases]
        if node.name.startswith("__") or any(one != "object" and not one.endswith("Layer") for one in bases):
            return True
    return bool(node.decorator_list)


def _words(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)  # of getattr
    return (node.name,) if isinstance(node, ast.alias) and node.asname else ()
