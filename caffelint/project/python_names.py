"""Which keys of `param_str` a class may read, by the words of its module."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from caffelint.project.python_flow import Flow

_INSPECTING = frozenset(["setattr", "getattr", "hasattr", "vars", "exec", "locals", "globals", "__dict__"])
"""By these, a key may become the name of something without being written out."""


def words_of(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """All that the code of a module may use as a key: its strings, the names of attributes, arguments and variables."""
    return frozenset(word for node in nodes for word in _words(node))


def _words(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.arg | ast.keyword):
        yield node.arg or ""


def reads_elsewhere(words: frozenset[str], flow: Flow) -> bool:
    """Whether other code than that of the module may read what a class of it takes from `self.param_str`.

    It may where that is handed to what the module imports, or looked at by name.
    """
    return not _INSPECTING.isdisjoint(words) or flow.leaves


def keys_of_holders(nodes: Iterable[ast.AST], flow: Flow) -> frozenset[str]:
    """The keys that code takes from what `self.param_str` holds."""
    return frozenset(key for node in nodes for key in _taken(node, flow.holders))


def _taken(node: ast.AST, holders: frozenset[str]) -> Iterator[str]:
    """`x` of `params["x"]`, `params.get("x")` and `"x" in params`."""
    if isinstance(node, ast.Subscript):
        holder, key = node.value, node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        holder, key = node.func.value, node.args[0]
    elif isinstance(node, ast.Compare):
        holder, key = node.comparators[0], node.left
    else:
        return
    name = holder.id if isinstance(holder, ast.Name) else holder.attr if isinstance(holder, ast.Attribute) else ""
    if name in holders and isinstance(key, ast.Constant) and isinstance(key.value, str):
        yield key.value
