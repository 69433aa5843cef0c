"""Which keys of `param_str` a class may read, by the words of its module."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

_INSPECTING = frozenset(["setattr", "getattr", "hasattr", "vars", "exec", "locals", "globals", "__dict__"])
"""By these, a key may become the name of something without being written out."""

_METHODS = frozenset(["get", "keys", "has_key", "items", "values", "update", "copy", "pop", "setdefault", "iteritems"])


def words_of(body: Sequence[ast.stmt]) -> frozenset[str]:
    """All that a module may use as a key: its strings, and the names of attributes, arguments and variables."""
    return frozenset(word for node in body for one in ast.walk(node) for word in _words(one))


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


def reads_elsewhere(body: Sequence[ast.stmt], functions: Sequence[ast.FunctionDef]) -> bool:
    """Whether other code than that of the module may read what these functions take from `self.param_str`.

    It may where that is handed to what the module imports, or looked at by name.
    """
    if not _INSPECTING.isdisjoint(words_of(body)):
        return True
    own = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    holders = _holders(functions)
    for function in functions:
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and _hands_on(call, holders) and not _is_own(call.func, own):
                return True
    return False


def keys_of_holders(functions: Sequence[ast.FunctionDef]) -> frozenset[str]:
    """The keys that functions take from what `self.param_str` holds."""
    holders = _holders(functions)
    return frozenset(key for function in functions for node in ast.walk(function) for key in _taken(node, holders))


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
    if _name(holder) in holders and isinstance(key, ast.Constant) and isinstance(key.value, str):
        yield key.value


def _holders(functions: Sequence[ast.FunctionDef]) -> frozenset[str]:
    """The names and attributes that hold what was read."""
    found = {"param_str"}
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and any(_name(one) in found for one in ast.walk(node.value)):
                if not isinstance(node.value, ast.Subscript):  # one value of it is no longer all of it
                    found.update(_name(target) for target in node.targets)
    return frozenset(found - {""})


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _hands_on(call: ast.Call, holders: frozenset[str]) -> bool:
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    values = [value.value if isinstance(value, ast.Starred) else value for value in values]
    return any(_name(value) in holders - {"param_str"} for value in values)


def _is_own(function: ast.expr, own: set[str]) -> bool:
    """Is it code of the module, a method of the same object, or what only looks at a dictionary?"""
    if isinstance(function, ast.Name):
        return function.id in own or hasattr(builtins, function.id)
    return isinstance(function, ast.Attribute) and (
        function.attr in _METHODS or isinstance(function.value, ast.Name) and function.value.id == "self"
    )
