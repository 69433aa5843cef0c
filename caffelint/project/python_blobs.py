"""What Python scripts ask of the nets that they build: blobs, layers and outputs, by name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from caffelint.project.mentions import Asked
from caffelint.project.python2 import parse
from caffelint.project.python_nodes import in_any_case, walk

_ASKS = (".blobs[", ".params[", ".forward(")
_MOST = 200
"""Questions of a script that are held against a net."""
_MOST_NODES = 50_000
"""Of a script that is understood."""
_FORWARD = frozenset(["forward", "forward_all"])
_STORES = frozenset(["update", "setdefault"])
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
    if not nets:
        return ()
    looked = {name for node in nodes for name in _looked(node)}
    return tuple(islice(_asked(in_any_case(nodes[0]), nets, values, looked), _MOST))


def _asked(
    nodes: Iterable[ast.AST], nets: Mapping[str, str], values: Mapping[str, ast.expr], looked: Collection[str]
) -> Iterator[Asked]:
    """looked: names that the script itself looks for, or gives a value."""
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name, value = node.slice.value, node.value
            if not isinstance(name, str) or not isinstance(node.ctx, ast.Load) or name in looked:
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
        return _joined([value.left, value.right], "", values, depth)
    if isinstance(value, ast.Call) and _last(value.func) in ("join", "abspath") and value.args:
        return _joined(value.args, "/", values, depth)
    named = values.get(_key(value))
    return _path(named, values, depth + 1) if named is not None else ""


def _joined(parts: Sequence[ast.expr], between: str, values: Mapping[str, ast.expr], depth: int) -> str:
    """As far as it is written from the end; empty for a name alone in a folder that may be any."""
    found: list[str] = []
    for part in reversed(parts):
        path = _path(part, values, depth + 1)
        if not path:
            if found and "/" not in between.join(found).strip("/") and not _is_of_script(part, values):
                return ""
            break
        found.insert(0, path)
    return between.join(found)


def _is_of_script(folder: ast.expr, values: Mapping[str, ast.expr]) -> bool:
    """Is a folder that of the script, or below it?"""
    named = values.get(_key(folder))
    nodes = walk(folder if named is None else named)
    return any(isinstance(one, ast.Name) and one.id == "__file__" for one in nodes)


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
    """A name, or an attribute with all that it is one of; empty for anything else."""
    if isinstance(node, ast.Attribute):
        owner = _key(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return node.id if isinstance(node, ast.Name) else ""


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else _key(node)


def _looked(node: ast.AST) -> Iterator[str]:
    """The names that a node asks whether they are there, or stores something under."""
    inside: Sequence[ast.AST] = []
    if isinstance(node, ast.Compare):
        inside = [node.left, *node.comparators]
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        inside = [node.slice]
    elif isinstance(node, ast.Call) and _last(node.func) in _STORES:
        inside = [one for each in (*node.args, *node.keywords) for one in walk(each)]
        yield from (one.arg for one in node.keywords if one.arg)
    for one in inside:
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value
