"""Where a Python script stops: whenever it is run, or when it comes to a line of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from caffelint.project.mentions import Beside
from caffelint.project.python2 import broken, parse
from caffelint.project.python_calls import BadCall, bad_calls
from caffelint.project.python_modules import amiss
from caffelint.project.python_nodes import asks_for_main, walk
from caffelint.project.python_scopes import Unbound, unbound_anywhere
from caffelint.project.python_unbound import Stop, alike, names_bound, stop_in
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.project.python_layers import PythonModule

_IMPORTS = compiled_later(r"^[ \t]*(?:import|from)[ \t]{1,9}\.?(\w{1,100})\b", re.MULTILINE)
_COMMENTED = compiled_later(r"#[ \t]{0,20}(?:self\.)?(\w{1,100})\(")
"""A call that is commented out."""
_NAMES = (ast.Name, ast.Attribute)
_MOST_NODES = 50_000
"""Of a script that is understood."""


def stops(text: str, beside: Beside | None = None) -> Stop | None:
    """Where a script stops whenever it is run, if it surely does; else the first line that stops it."""
    stop, is_sure = _alone(text)
    if is_sure or beside is None or not any(beside(name) is not None for name in set(_IMPORTS.findall(text))):
        return stop
    text = text.replace("\r\n", "\n")
    tree, _ = parse(text)
    nodes = walk(tree) if tree is not None else []
    calls = [*amiss(nodes, beside)] if 0 < len(nodes) <= _MOST_NODES else []
    idle = _idle(tree, nodes, text) if tree is not None and calls else frozenset()
    found = [_stop_at(one) for one in calls if one.line not in idle]
    return min([*found, *([stop] if stop else [])], default=None)


class Failing(NamedTuple):
    """Calls of a file that fail if they run, and names that nothing binds; without names if that is not to be told."""

    calls: Sequence[BadCall]
    unbound: Sequence[Unbound]


def failing(body: list[ast.stmt], nodes: Sequence[ast.AST]) -> Failing:
    """body: the statements of a file; nodes: all below it."""
    tree = ast.Module(body, [])
    found = [tree, *nodes]
    unbound = [*unbound_anywhere(tree, found)] if names_bound(found) is not None else []
    return Failing([*bad_calls(body, found)], unbound)


def stop_of_module(module: PythonModule, absent: Sequence[BadCall], lines: Collection[int]) -> Stop | None:
    """The first of these lines that stops a module where it is reached. absent: what `amiss_of` gives."""
    if len(module.nodes) >= _MOST_NODES:
        return None
    found = [*map(_stop_at, (*module.failing.calls, *absent))]
    found += _first_of(one for one in module.failing.unbound if one.node.lineno in lines)
    return min((one for one in found if one.line in lines), default=None)


def amiss_of(module: PythonModule, beside: Beside) -> Sequence[BadCall]:
    """What a module takes from those beside it that they do not have."""
    nodes = [ast.Module(module.body, []), *module.nodes]
    return [*amiss(nodes, beside)] if len(nodes) <= _MOST_NODES else []


@lru_cache(maxsize=2000)
def _alone(text: str) -> tuple[Stop | None, bool]:
    """What its own text tells, and whether it stops there whenever it is run."""
    text = text.replace("\r\n", "\n")
    tree, _ = parse(text)
    if tree is None:
        fault = broken(text)
        return (Stop(fault[0], says=fault[1]) if fault else None), True
    nodes = walk(tree)
    if len(nodes) > _MOST_NODES:
        return None, True
    is_told = names_bound(nodes) is not None
    if is_told and (stop := stop_in(tree, nodes)):
        return stop, True
    found = [*map(_stop_at, bad_calls(tree.body, nodes))]
    unbound = [*unbound_anywhere(tree, nodes)] if is_told else []
    idle = _idle(tree, nodes, text) if found or unbound else frozenset()
    found += _first_of(one for one in unbound if one.node.lineno not in idle)
    return min((one for one in found if one.line not in idle), default=None), False


def _idle(tree: ast.Module, nodes: Sequence[ast.AST], text: str) -> frozenset[int]:
    """The lines of functions that nothing in the text names: of a script, whose code is not for others, and those whose
    call is commented out.
    """
    named = {node.id if isinstance(node, ast.Name) else node.attr for node in nodes if isinstance(node, _NAMES)}
    functions = [one for one in nodes if isinstance(one, ast.FunctionDef) and one.name not in named]
    own = set(tree.body) if any(map(_runs, tree.body)) else set()
    commented = set(_COMMENTED.findall(text)) if functions else set()
    idle = (one for one in functions if (one in own or one.name in commented) and not one.decorator_list)
    return frozenset(line for one in idle for line in range(one.lineno, (one.end_lineno or one.lineno) + 1))


def _runs(statement: ast.stmt) -> bool:
    """Does it do something itself: is it a call, or what is for the script that is started?"""
    if isinstance(statement, ast.If):
        return asks_for_main(statement)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def _stop_at(call: BadCall) -> Stop:
    return Stop(call.line, call.name, says=call.says, is_absent=call.is_absent)


def _first_of(unbound: Iterable[Unbound]) -> list[Stop]:
    first = min(unbound, key=lambda one: one.node.lineno, default=None)
    return [Stop(first.node.lineno, first.node.id, alike(first.node.id, *first.known))] if first else []
