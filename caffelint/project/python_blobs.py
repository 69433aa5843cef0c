"""What Python scripts ask of the nets that they build: blobs, layers and outputs, by name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from caffelint.project.mentions import Asked
from caffelint.project.python2 import parse
from caffelint.project.python_nodes import children, walk

_ASKS = (".blobs[", ".params[", ".forward(")
_MOST = 200
"""Questions of a script that are held against a net."""
_MOST_NODES = 50_000
"""Of a script that is understood."""
_FORWARD = frozenset(["forward", "forward_all"])
_KINDS = {"blobs": "blob", "params": "layer"}


@lru_cache(maxsize=2000)
def asked(text: str) -> tuple[Asked, ...]:
    """What a script asks, in any case, of nets that it builds of a file whose name it gives: pycaffe.py, Net.

    A name of a net, of a path or of results counts where one statement alone sets it.
    """
    if "Net(" not in text or not any(one in text for one in _ASKS):
        return ()
    tree, _ = parse(text)
    nodes = walk(tree) if tree is not None else []
    if not nodes or len(nodes) > _MOST_NODES:
        return ()
    sets = Counter(key for node in nodes for key in _set(node))
    values = {
        key: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and len(node.targets) == 1
        if (key := _key(node.targets[0])) and sets[key] == 1
    }
    nets = {key: path for key, value in values.items() if (path := _net(value, values))}
    return tuple(islice(_asked(_unconditional(nodes[0]), nets, values), _MOST)) if nets else ()


def _asked(nodes: Iterable[ast.AST], nets: Mapping[str, str], values: Mapping[str, ast.expr]) -> Iterator[Asked]:
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name, value = node.slice.value, node.value
            if not isinstance(name, str):
                continue
            kind = _KINDS.get(value.attr) if isinstance(value, ast.Attribute) else None
            of = _key(value.value) if kind and isinstance(value, ast.Attribute) else ""
            if kind is None:
                kind, of = "output", _run(values.get(_key(value), value))
            if of in nets:
                yield Asked(nets[of], node.lineno, kind, name)
        elif isinstance(node, ast.Call) and _last(node.func) in _FORWARD and isinstance(node.func, ast.Attribute):
            path = nets.get(_key(node.func.value))
            for word in node.keywords if path else ():
                for kind, one in _named_in(word):
                    yield Asked(path or "", one.lineno, kind, str(one.value))


def _named_in(word: ast.keyword) -> Iterator[tuple[str, ast.Constant]]:
    """The names in an argument of forward, each with what it is one of."""
    inside: Sequence[ast.expr] = []
    if word.arg in ("start", "end"):
        inside = [word.value]
    elif word.arg == "blobs" and isinstance(word.value, ast.List | ast.Tuple):
        inside = word.value.elts
    for one in inside:
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield "blob" if word.arg == "blobs" else "layer", one


def _run(value: ast.expr) -> str:
    """The net whose outputs a call of forward gives, all of them and nothing else; empty for none."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or value.func.attr not in _FORWARD:
        return ""
    told = {word.arg for word in value.keywords}
    return "" if value.args or told & {"start", "end", "blobs", None} else _key(value.func.value)


def _net(value: ast.expr, values: Mapping[str, ast.expr]) -> str:
    """The end of the path of the file of which a net is built, as far as it is written; empty for what is none."""
    if not isinstance(value, ast.Call) or _last(value.func) != "Net":
        return ""
    return _path(value.args[0], values) if value.args else ""


def _path(value: ast.expr, values: Mapping[str, ast.expr], depth: int = 0) -> str:
    if isinstance(value, ast.Constant):
        return value.value if isinstance(value.value, str) else ""
    if depth > 4:
        return ""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _path(value.right, values, depth + 1)
    if isinstance(value, ast.Call) and _last(value.func) in ("join", "abspath") and value.args:
        return _path(value.args[-1], values, depth + 1)
    named = values.get(_key(value))
    return _path(named, values, depth + 1) if named is not None else ""


def _set(node: ast.AST) -> Iterator[str]:
    """The names that a node gives a value."""
    if isinstance(node, ast.Name | ast.Attribute):
        if isinstance(node.ctx, ast.Store | ast.Del):
            yield _key(node)
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name


def _key(node: ast.AST) -> str:
    """A name, or an attribute of whatever it is one of; empty for anything else."""
    return node.id if isinstance(node, ast.Name) else f".{node.attr}" if isinstance(node, ast.Attribute) else ""


def _last(node: ast.AST) -> str:
    return _key(node).lstrip(".")


def _unconditional(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that run only where something holds, or whose failure is caught."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Try | ast.IfExp) or isinstance(node, ast.If) and not _asks_for_main(node):
            continue
        yield node
        left += reversed(children(node))


def _asks_for_main(branch: ast.If) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "__name__" for one in walk(branch.test))
