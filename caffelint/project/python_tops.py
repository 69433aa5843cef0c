"""Which tops the code of a Python layer can reach, by their numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from caffelint.project.python_nodes import walk
from caffelint.project.python_shapes import numbered

_MOST_NAMES = 8
"""Variables that tops are taken by, and tables, for each of which the code is looked through."""


def top_numbers(codes: Sequence[tuple[ast.FunctionDef, str]], all_code: Sequence[ast.AST]) -> set[int] | None:
    """All that its methods take by a number, or by one of a table of the class; None if there may be others.

    codes: the methods that are given the tops, each with what it calls them. all_code: of all methods, which may fill
    the table, as by `self._name_to_top_map = {"data": 0}`.
    """
    found: set[int] = set()
    tables: set[str] = set()
    for code, tops in codes:
        nodes = walk(code)
        taken = [node for node in nodes if isinstance(node, ast.Subscript) and _is_name(node.value, tops)]
        counted = [node for node in nodes if _is_count(node, tops)]
        if len(taken) + len(counted) != sum(_is_name(node, tops) for node in nodes):
            return None
        found.update(number for node in taken if (number := numbered(node, tops)) is not None)
        others = [node.slice for node in taken if numbered(node, tops) is None]
        names = {index.id for index in others if isinstance(index, ast.Name)}
        if len(names) > _MOST_NAMES:
            return None
        tables.update(_table_of_name(name, code) for name in names)
        tables.update(_table_of(index) for index in others if not isinstance(index, ast.Name))
    if "" in tables or len(tables) > _MOST_NAMES:
        return None
    for table in tables:
        numbers = _numbers_in(table, all_code)
        if numbers is None:
            return None
        found |= numbers
    return found


def _is_name(node: ast.AST, name: str) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id == name


def _is_count(node: ast.AST, tops: str) -> bool:
    """Is it `len(top)`?"""
    return (
        isinstance(node, ast.Call) and _is_name(node.func, "len") and [_is_name(a, tops) for a in node.args] == [True]
    )


def _table_of(index: ast.expr) -> str:
    """`table` of `self.table[name]`; empty for all else."""
    return _attribute(index.value) if isinstance(index, ast.Subscript) else ""


def _table_of_name(name: str, code: ast.AST) -> str:
    """The table that a name is set to an item of, and to nothing else; empty if it may be anything else."""
    stored, values = 0, []
    for node in walk(code):
        stored += _is_name(node, name) and isinstance(node.ctx, ast.Store)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_name(node.targets[0], name):
            values.append(node.value)
    tables = {_table_of(value) for value in values}
    return tables.pop() if len(tables) == 1 and len(values) == stored else ""


def _attribute(node: ast.AST) -> str:
    """`table` of `self.table`."""
    return node.attr if isinstance(node, ast.Attribute) and _is_name(node.value, "self") else ""


def _numbers_in(table: str, nodes: Sequence[ast.AST]) -> set[int] | None:
    """The numbers that a class puts into a table; None if it may put others there as well."""
    uses = sum(_attribute(node) == table for node in nodes)
    understood = 0
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Subscript) and _attribute(node.value) == table and isinstance(node.ctx, ast.Load):
            understood += 1
        elif isinstance(node, ast.Assign):
            for value in _put(node, table):
                if not (isinstance(value, ast.Constant) and isinstance(value.value, int)):
                    return None
                found.add(value.value)
            understood += sum(_is_of(target, table) for target in node.targets)
    return found if found and understood == uses else None


def _is_of(target: ast.expr, table: str) -> bool:
    return table in (_attribute(target), _attribute(target.value) if isinstance(target, ast.Subscript) else "")


def _put(node: ast.Assign, table: str) -> Iterator[ast.expr | None]:
    """What an assignment puts into a table; None for what is not understood."""
    for target in node.targets:
        if _attribute(target) == table:
            yield from node.value.values if isinstance(node.value, ast.Dict) and None not in node.value.keys else [None]
        elif _is_of(target, table):
            yield node.value
