"""Indexes that Python code holds against the end of a list, and never moves."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from caffelint.project.python_nodes import dotted, is_self
from caffelint.project.python_reached import Part, lines_reached
from caffelint.text.records import NamedTuple

_INSPECTING = frozenset(["setattr", "exec", "__dict__", "vars", "shuffle"])
"""By these, an attribute may get a value without being written out, or its list another order."""


class Stuck(NamedTuple):
    """An attribute that is only ever set to a number that is written out, and a list that is read with it: where."""

    line: int
    name: str
    list: str


def stuck(nodes: Sequence[ast.AST], parts: Sequence[Part], name: str) -> list[Stuck]:
    """In the order of the text, each index once, where a layer of the class of that name may run the line.

    nodes, parts: all of a module. Only one that is compared with the length of the list it is read with counts: it was
    to come to its end.
    """
    tests = [part for node in nodes if isinstance(node, ast.If) for part in ast.walk(node.test)]
    ends = {end for node in tests for end in _ends(node)}
    if not ends:
        return []
    owners = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    handed = any(is_self(node) and id(node) not in owners for node in nodes)
    if handed or any({getattr(node, "id", ""), getattr(node, "attr", "")} & _INSPECTING for node in nodes):
        return []
    plain = {id(target) for node in nodes for target in _set_to_number(node)}
    stored = [node for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)]
    still = {node.attr for node in stored} - {node.attr for node in stored if id(node) not in plain}
    found: dict[str, Stuck] = {}
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Attribute):
            pair = dotted(node.slice), dotted(node.value)
            if pair in ends and node.slice.attr in still:
                found.setdefault(pair[0], Stuck(node.lineno, *pair))
    reached = lines_reached([parts], name)[0] if found else ()
    return [one for one in found.values() if one.line in reached]


def _set_to_number(node: ast.AST) -> Sequence[ast.expr]:
    """`self.at` of `self.at = 0`."""
    value = node.value if isinstance(node, ast.Assign) else None
    is_number = isinstance(value, ast.Constant) and type(value.value) is int
    return node.targets if is_number and isinstance(node, ast.Assign) else ()


def _ends(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The index and the list of `self.at == len(self.files)`."""
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        for one, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
            if isinstance(other, ast.Call) and dotted(other.func) == "len" and len(other.args) == 1:
                yield dotted(one), dotted(other.args[0])
