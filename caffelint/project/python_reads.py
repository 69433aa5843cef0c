"""What Python code makes of values: what a layer reads of its blobs and writes to them, and which types it casts to."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from caffelint.project.python_nodes import children, dotted, inside

_NEW = frozenset(f"{name}{end}" for name in ("zeros", "ones", "empty", "full") for end in ("", "_like"))
"""Functions of numpy that make arrays of their own: of no value is anything lost."""
_OF_SHAPE = frozenset(["shape", "ndim", "size", "dtype"])


def reads_values(nodes: Sequence[ast.AST], bottoms: str) -> bool:
    """May code use the data of a bottom for more than their shape? nodes: all of it. bottoms: what it calls them."""
    shapes = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr in _OF_SHAPE}

    def read(node: ast.AST) -> Sequence[ast.AST]:
        """Data, and names that are handed on."""
        if isinstance(node, ast.Call):
            return [one for one in node.args if isinstance(one, ast.Name)]
        is_data = isinstance(node, ast.Attribute) and node.attr == "data" and id(node) not in shapes
        return [node] if is_data else []

    return any(isinstance(one, ast.Name) and one.id == bottoms for one in inside(nodes, read))


def writes_diff(nodes: Sequence[ast.AST], blobs: str) -> bool:
    """Does code write to the diff of the blobs that it calls so, or call something with it?"""
    for node in nodes:
        targets: Sequence[ast.AST] = ()
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call):
            targets = node.args
        for target in targets:
            inner = list(_without_arguments(target))
            is_diff = any(isinstance(one, ast.Attribute) and one.attr == "diff" for one in inner)
            if is_diff and any(isinstance(one, ast.Name) and one.id == blobs for one in inner):
                return True
    return False


def _without_arguments(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, but for what calls are given: these are looked at by themselves."""
    left = [node]
    while left:
        one = left.pop()
        yield one
        left += [one.func] if isinstance(one, ast.Call) else children(one)


def casts(call: ast.Call, types: Collection[str]) -> bool:
    """Does a method, or a function of numpy, make values of one of these types, as by `astype(np.uint8)`?"""
    if not isinstance(call.func, ast.Attribute) or call.func.attr in _NEW:
        return False
    if call.func.attr in types:
        return bool(call.args)
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "dtype")]
    names = (one.value if isinstance(one, ast.Constant) else dotted(one).rpartition(".")[2] for one in given)
    return any(name in types for name in names)
