"""What a Python file takes from modules beside it that these do not have."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from caffelint.project.mentions import Beside
from caffelint.project.python2 import parse
from caffelint.project.python_calls import BadCall, refusal
from caffelint.project.python_nodes import hints_unread, in_any_case, uncaught, walk
from caffelint.project.python_unbound import functions_of, names_bound, names_bound_by
from caffelint.text.records import NamedTuple

_MOST_NODES = 50_000
"""Of a module that is understood."""


class _Module(NamedTuple):
    """All names that a module may have, and the arguments of its functions."""

    names: frozenset[str]
    functions: Mapping[str, ast.arguments]


def amiss(nodes: Sequence[ast.AST], beside: Beside) -> Iterator[BadCall]:
    """nodes: all of the file."""
    names = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    if not any(_of(name, beside) for name in names) or any(map(_puts_first, nodes)):
        return  # nothing is beside it, or another file may come first
    unread = hints_unread(nodes)
    runs = {node: None for node in uncaught(nodes[0]) if node not in unread}  # in order
    times = Counter(name for node in nodes for name in names_bound_by(node))
    imported: dict[str, _Module] = {}
    handed = _handed(nodes)
    for node in in_any_case(nodes[0]):
        if node not in runs:
            continue
        if isinstance(node, ast.ImportFrom) and node.level <= 1 and (module := _of(node.module or "", beside)):
            for one in node.names:
                if one.name != "*" and one.name not in module.names:
                    yield BadCall(node.lineno, one.name, f'from "{node.module}.py", which has no such name', True)
        elif isinstance(node, ast.Import):
            for one in node.names:
                name = one.asname or one.name
                if times[name] == 1 and name not in handed and (module := _of(one.name, beside)):
                    imported[name] = module
    given = {node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)}
    for node in runs if imported else ():
        attribute = node.func if isinstance(node, ast.Call) else node
        if not isinstance(attribute, ast.Attribute) or not isinstance(attribute.value, ast.Name):
            continue
        name, module_ = attribute.attr, imported.get(attribute.value.id)
        if module_ is None or name in given or name.startswith("__"):
            continue
        called = f"{attribute.value.id}.{name}"
        if isinstance(node, ast.Call) and name in module_.functions:
            if says := refusal(node, module_.functions[name]):
                yield BadCall(node.lineno, called, says)
        elif node is attribute and name not in module_.names:
            yield BadCall(node.lineno, called, "", True)


def _puts_first(node: ast.AST) -> bool:
    """Is it `sys.path.insert`? A chain of attributes is not gone through from each."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "insert"
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "path"
        and isinstance(node.value.value, ast.Name)
    )


def _handed(nodes: Sequence[ast.AST]) -> set[str]:
    """The names of what others may be given, as of `setattr(m, "x", 1)`, `hasattr(m, "x")` and `m.__dict__`."""
    own = {node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr != "__dict__"}
    return {node.id for node in nodes if isinstance(node, ast.Name) and node not in own}


def _of(name: str, beside: Beside) -> _Module | None:
    text = None if "." in name or not name or name in sys.stdlib_module_names else beside(name)
    return None if text is None else _read(text)


@lru_cache(maxsize=500)
def _read(text: str) -> _Module | None:
    tree, _ = parse(text.replace("\r\n", "\n"))
    nodes = walk(tree) if tree is not None else []
    names = names_bound(nodes) if 0 < len(nodes) <= _MOST_NODES else None
    if (
        tree is None
        or names is None
        or "__getattr__" in names
        or any(isinstance(one, ast.ImportFrom) and _is_star(one) for one in nodes)
    ):
        return None
    return _Module(names, {name: one.args for name, one in functions_of(nodes, tree.body).items()})


def _is_star(node: ast.ImportFrom) -> bool:
    return node.names[0].name == "*"
