"""Names that a Python file reads anywhere, and that nothing binds where it does: also in functions that few call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from caffelint.project.python_nodes import children, dotted, hints_unread, own_nodes, uncaught
from caffelint.project.python_unbound import names_bound_by, names_of_all, unknown_names
from caffelint.text.records import NamedTuple

_COMPREHENSIONS = (ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    *_COMPREHENSIONS,
)
"""Not lists: the names of `[x for x in y]` are those of the function in Python 2."""
_OF_LAYERS = frozenset(["setup", "reshape", "forward", "backward"])
"""Methods that Caffe calls: their faults are found by what Caffe does with them."""
_UNSURE = frozenset(["_"])
"""`gettext.install` binds it everywhere."""


class Unbound(NamedTuple):
    """A name, where it is read, and all that its place knows."""

    node: ast.Name
    known: tuple[frozenset[str], ...]


class _Scope(NamedTuple):
    tree: ast.AST
    known: tuple[frozenset[str], ...]


def unbound_anywhere(tree: ast.Module, nodes: Sequence[ast.AST]) -> Iterator[Unbound]:
    """Each name once, but what is read where its failure is caught, and in the methods that Caffe calls of layers."""
    seen: set[str] = set(_UNSURE)
    unread = hints_unread(nodes)
    waiting = [_Scope(tree, (names_of_all(tree.body, nodes),))]
    for scope in waiting:
        own: set[str] = set()
        inner: list[ast.AST] = []
        for node in _all_of(scope.tree):
            own.update(names_bound_by(node))
            if isinstance(node, _SCOPES):
                inner.append(node)
        known = (*scope.known, frozenset(own))
        read = [one for one in uncaught(scope.tree, _SCOPES)[1:] if one not in unread]
        runs = {one for one in read if isinstance(one, _SCOPES)}
        for name in unknown_names(read, *known):
            if name.id not in seen:
                seen.add(name.id)
                yield Unbound(name, known)
        is_layer = isinstance(scope.tree, ast.ClassDef) and any(map(_is_layer, scope.tree.bases))
        waiting += [
            _Scope(one, known)
            for one in inner
            if one in runs and not (is_layer and isinstance(one, ast.FunctionDef) and one.name in _OF_LAYERS)
        ]


def _all_of(tree: ast.AST) -> Iterator[ast.AST]:
    """All below a scope, without what is in the scopes in it."""
    waiting = children(tree)
    for node in waiting:
        yield node
        if isinstance(node, _COMPREHENSIONS):  # `(y := x)` in it binds in the function around it
            waiting += [one.target for one in own_nodes(node) if isinstance(one, ast.NamedExpr)]
        elif not isinstance(node, _SCOPES):
            waiting += children(node)


def _is_layer(base: ast.expr) -> bool:
    return dotted(base).rpartition(".")[2].endswith("Layer")
