"""What Python scripts ask of the nets that they build: blobs, layers and outputs, by name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from caffelint.project.mentions import Asked
from caffelint.project.python_nodes import dotted, in_any_case, script_nodes, walk

_ASKS = (".blobs[", ".params[", ".forward(")
_MOST = 200
"""Questions of a script that are held against a net."""
_LONGEST = 4096
"""Characters of a path, of which the last are kept: no system opens a longer one."""
_DEEPEST = 4
"""Names and calls within each other that a path is followed through."""
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
    nodes = script_nodes(text)
    values = values_set(nodes)
    paths = Paths(values)
    nets = {key: path for key, value in values.items() if (path := paths.of_net(value))}
    if not nets:
        return ()
    looked = {name for node in nodes for name in _looked(node)}
    runs = {key: of for key, value in values.items() if (of := _run(value))}
    return tuple(islice(_asked(in_any_case(nodes[0]), nets, runs, looked), _MOST))


def _asked(
    nodes: Iterable[ast.AST], nets: Mapping[str, str], runs: Mapping[str, str], looked: Collection[str]
) -> Iterator[Asked]:
    """runs: the net whose outputs a name stands for. looked: names that the script looks for, or gives a value."""
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            name, value = node.slice.value, node.value
            if not isinstance(name, str) or not isinstance(node.ctx, ast.Load) or name in looked:
                continue
            kind = _KINDS.get(value.attr) if isinstance(value, ast.Attribute) else None
            of = dotted(value.value) if kind and isinstance(value, ast.Attribute) else ""
            if kind is None:
                kind, of = "output", runs.get(dotted(value), "") or _run(value)
            if of in nets:
                yield Asked(nets[of], node.lineno, kind, name)
        elif isinstance(node, ast.Call) and _last(node.func) in _FORWARD and isinstance(node.func, ast.Attribute):
            path = nets.get(dotted(node.func.value))
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
    return "" if value.args or told & {"start", "end", "blobs", None} else dotted(value.func.value)


def times_set(nodes: Iterable[ast.AST]) -> Counter[str]:
    """How many statements set each name."""
    return Counter(key for node in nodes for key in names_set(node))


def values_set(nodes: Sequence[ast.AST]) -> dict[str, ast.expr]:
    """The values of the names that one statement sets."""
    sets = times_set(nodes)
    return {
        key: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and len(node.targets) == 1
        if (key := dotted(node.targets[0])) and sets[key] == 1
    }


class Paths:
    """The paths that the expressions of a script are, as far as they are written; what is found out is kept.

    Names may stand for names, each of them many times: all of it written out may be as long as memory, and longer.
    """

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values
        self._found: dict[tuple[str, int], str] = {}
        self._of_script: dict[str, bool] = {}

    def of_net(self, value: ast.expr) -> str:
        """The end of the path of the file of which a net is built; empty for what is none."""
        if not isinstance(value, ast.Call) or _last(value.func) != "Net" or not value.args:
            return ""
        return self.of(value.args[0])

    def of(self, value: ast.expr) -> str:
        """The end of a path, as far as it is written."""
        return self._path(value, 0)

    def _path(self, value: ast.expr, depth: int) -> str:
        if isinstance(value, ast.Constant):
            return value.value[-_LONGEST:] if isinstance(value.value, str) else ""
        if depth > _DEEPEST:
            return ""
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            return self._joined([value.left, value.right], "", depth)
        if isinstance(value, ast.Call) and _last(value.func) in ("join", "abspath") and value.args:
            return self._joined(value.args, "/", depth)
        key = dotted(value)
        if key not in self._values:
            return ""
        if (key, depth) not in self._found:
            self._found[key, depth] = self._path(self._values[key], depth + 1)
        return self._found[key, depth]

    def _joined(self, parts: Sequence[ast.expr], between: str, depth: int) -> str:
        """As far as it is written from the end; empty for a name alone in a folder that may be any."""
        found: list[str] = []
        length = 0
        for part in reversed(parts):
            path = self._path(part, depth + 1)
            if not path:
                if found and "/" not in between.join(found).strip("/") and not self._is_of_script(part):
                    return ""
                break
            found.append(path)
            length += len(path)
            if length > _LONGEST:
                break
        return between.join(reversed(found))[-_LONGEST:]

    def _is_of_script(self, folder: ast.expr) -> bool:
        """Is a folder that of the script, or below it?"""
        key = dotted(folder)
        if key not in self._of_script:
            nodes = walk(self._values.get(key, folder))
            is_own = any(isinstance(one, ast.Name) and one.id == "__file__" for one in nodes)
            if not key:  # it is not asked for again
                return is_own
            self._of_script[key] = is_own
        return self._of_script[key]


def names_set(node: ast.AST) -> Iterator[str]:
    """The names that a node gives a value."""
    if isinstance(node, ast.Name | ast.Attribute):
        if isinstance(node.ctx, ast.Store | ast.Del):
            yield dotted(node)
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else dotted(node)


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
