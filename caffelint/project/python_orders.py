"""What a class of Python shuffles: arrays whose rows belong together, each in an order of its own."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

from caffelint.project.python_nodes import walk, walk_all
from caffelint.text.records import NamedTuple

_SHORT = 12
"""Nodes of a name or an index; one of more is nothing that is told from another."""
_LONG = 200
"""Nodes of what a local name stands for, which is followed."""
_MOST = 100
"""Pairs of tops."""
_FILLS = ("append", "extend", "insert", "sort", "reverse")
_SHUFFLES = ("shuffle", "permutation")


class Apart(NamedTuple):
    """Two arrays that are read with one index, and that `method` shuffles one after the other, or the first `alone`.

    line: of the second shuffle. tops: the numbers of the tops that each of them is written to.
    """

    method: str
    line: int
    names: tuple[str, str]
    tops: tuple[int, int]
    alone: bool = False


def shuffled_apart(methods: Iterable[ast.FunctionDef]) -> list[Apart]:
    """In the order of the text, each pair of tops once; `random.shuffle`, `numpy.random.shuffle` and `permutation`
    alike.

    Only statements that follow each other are told: what stands between may give both the same order.
    """
    found: dict[tuple[int, int], Apart] = {}
    for one in _shuffled_apart([*methods]):
        found.setdefault(one.tops, one)
        if len(found) == _MOST:
            break
    return [*found.values()]


def _shuffled_apart(methods: Sequence[ast.FunctionDef]) -> Iterator[Apart]:
    written = [_written(method) for method in methods if method.name == "forward"]
    if not any(written):
        return
    yield from _alone(methods, written)
    by_array = [_by_array(tops) for tops in written]
    seen: set[tuple[str, str]] = set()
    for method in methods:
        for body in _bodies(method):
            for one, other in pairwise(map(_shuffle, body)):
                if (
                    one
                    and other
                    and one.by == other.by
                    and one.name != other.name
                    and (one.name, other.name) not in seen
                ):
                    seen.add((one.name, other.name))
                    for tops in by_array:
                        yield from _pairs(method.name, one.name, other, tops)


def _alone(methods: Sequence[ast.FunctionDef], written: Sequence[Mapping[tuple[str, str], int]]) -> Iterator[Apart]:
    """What is shuffled while another array, read with the same index, is not named in the method after that, nor in any
    call of the class that may give it an order.
    """
    shuffles = [
        (method, found) for method in methods for body in _bodies(method) for found in map(_shuffle, body) if found
    ]
    if len(shuffles) != 1:
        return
    method, one = shuffles[0]
    later = {_text(node) for node in walk(method) if isinstance(node, ast.Attribute) and node.lineno > one.line}
    nodes = walk_all(methods)
    known = later | _ordered(nodes) | _made_of(nodes, one.name) | {one.name}
    for tops in written:
        for (read, index), top in tops.items():
            mine = tops.get((one.name, index))
            if mine is not None and read not in known:
                yield Apart(method.name, one.line, (one.name, read), (mine, top), alone=True)


def _ordered(nodes: Sequence[ast.AST]) -> set[str]:
    """The arrays that are read or written anywhere but to load them, or to take values or their length from them."""
    plain = [node.value for node in nodes if isinstance(node, ast.Subscript | ast.Attribute)]
    plain += [one for node in nodes if isinstance(node, ast.Call) and _is_len(node) for one in node.args]
    known = set(map(id, plain))
    stored: Counter[str] = Counter()
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Store):
                stored[_text(node)] += 1
            elif id(node) not in known:
                found.add(_text(node))
    return found | {name for name, times in stored.items() if times > 1}


def _made_of(nodes: Sequence[ast.AST], other: str) -> set[str]:
    """The arrays that are made of the other one, in one statement, or of whatever value by value."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and any(_text(one) == other for one in walk(node.value)):
            found.update(map(_text, node.targets))
        stored = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        called = isinstance(node, ast.Attribute) and node.attr in _FILLS
        if stored or called:
            found.add(_text(node.value))  # type: ignore[attr-defined]
    return found


def _is_len(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "len"


class _Shuffle(NamedTuple):
    name: str
    by: str
    line: int


def _shuffle(statement: ast.stmt) -> _Shuffle | None:
    """`np.random.shuffle(x)`, `x = np.random.permutation(x)` or `x = x[np.random.permutation(len(x))]`."""
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if isinstance(statement, ast.Assign) and isinstance(call, ast.Subscript):
        return _taken(statement, call)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr not in _SHUFFLES or len(call.args) != 1 or call.keywords:
        return None
    name, is_assigned = _text(call.args[0]), isinstance(statement, ast.Assign)
    if is_assigned != (call.func.attr == "permutation"):
        return None
    if isinstance(statement, ast.Assign) and [_text(target) for target in statement.targets] != [name]:
        return None
    return _Shuffle(name, _text(call.func.value), statement.lineno) if name else None


def _taken(statement: ast.Assign, rows: ast.Subscript) -> _Shuffle | None:
    """The rows of an array in an order that is drawn for it alone."""
    name, order = _text(rows.value), rows.slice
    if not name or [_text(target) for target in statement.targets] != [name]:
        return None
    is_drawn = (
        isinstance(order, ast.Call) and isinstance(order.func, ast.Attribute) and order.func.attr == "permutation"
    )
    return _Shuffle(name, _text(order.func.value), statement.lineno) if is_drawn else None  # type: ignore[attr-defined]


def _bodies(method: ast.FunctionDef) -> Iterator[Sequence[ast.stmt]]:
    for node in walk(method):
        for block in ("body", "orelse", "finalbody"):
            found = getattr(node, block, None)
            if isinstance(found, list):
                yield found


def _by_array(tops: Mapping[tuple[str, str], int]) -> Mapping[str, Mapping[str, int]]:
    """The tops that each array is written to, by the index that it is read with."""
    found: dict[str, dict[str, int]] = {}
    for (read, index), top in tops.items():
        found.setdefault(read, {})[index] = top
    return found


def _pairs(method: str, name: str, other: _Shuffle, tops: Mapping[str, Mapping[str, int]]) -> Iterator[Apart]:
    mine = tops.get(name, {})
    for index, top in tops.get(other.name, {}).items():
        if index in mine:
            yield Apart(method, other.line, (name, other.name), (mine[index], top))


def _written(forward: ast.FunctionDef) -> dict[tuple[str, str], int]:
    """The top that `top[0].data[...] = self.images[at]` writes, by the array and the index that are read."""
    found: dict[tuple[str, str], int] = {}
    tops = forward.args.args[2].arg if len(forward.args.args) > 2 else ""
    nodes = walk(forward)
    times = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    made = {
        node.targets[0].id: parts
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and times[node.targets[0].id] == 1
        if len(parts := walk(node.value)) <= _LONG
    }
    taken: dict[str, list[tuple[str, str]]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            number = _top(node.targets[0], tops)
            parts = walk(node.value) if number is not None else []
            names = {part.id for part in parts if isinstance(part, ast.Name)} & made.keys()
            taken.update((name, _taken_of(made[name])) for name in names - taken.keys())
            for pair in [*_taken_of(parts), *(one for name in sorted(names) for one in taken[name])]:
                if number is not None:
                    found[pair] = number
    return found


def _taken_of(parts: Iterable[ast.AST]) -> list[tuple[str, str]]:
    """The arrays that values are taken of, each with the index."""
    taken = ((_text(part.value), _text(part.slice)) for part in parts if isinstance(part, ast.Subscript))
    return [(name, index) for name, index in dict.fromkeys(taken) if name and index]


def _top(target: ast.expr, tops: str) -> int | None:
    """The number in `top[1].data[...]`."""
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        at = target.slice if isinstance(target, ast.Subscript) else None
        if isinstance(target.value, ast.Name):
            is_top = target.value.id == tops and isinstance(at, ast.Constant) and type(at.value) is int
            return at.value if is_top else None  # type: ignore[union-attr]
        target = target.value
    return None


def _text(node: ast.AST) -> str:
    """Of a short expression; "" of others, which are as deep as a stranger makes them."""
    return ast.unparse(node) if sum(1 for _ in islice(ast.walk(node), _SHORT + 1)) <= _SHORT else ""
