"""Going through the tree of a module as `ast` does, in the same order, but without contexts and operators: faster."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from caffelint.project.python2 import parse

_NO_CODE = frozenset(["attr", "ctx", "id", "kind", "op", "ops", "type_comment"])
"""Fields in which no expression, statement or other part with a place in the text is."""
_MOST_OF_SCRIPT = 50_000
_SHORT = 40
"""Parts of what is written out."""
_LEVELS = 3
_EXITS = frozenset(["sys.exit", "exit", "quit", "os._exit"])
_BODIES = ("body", "orelse", "finalbody")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_fields: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all below it."""
    found = [node]
    for one in found:
        found += children(one)
    return found


def script_nodes(text: str) -> list[ast.AST]:
    """All nodes of a script, its module first; none of what is no Python, or too long to be understood."""
    tree, _ = parse(text)
    nodes = walk(tree) if tree is not None else []
    return nodes if len(nodes) <= _MOST_OF_SCRIPT else []


def walk_all(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """Nodes and all below them, one after the other."""
    return [inner for node in nodes for inner in walk(node)]


def inside(nodes: Iterable[ast.AST], begins: Callable[[ast.AST], Iterable[ast.AST]]) -> Iterator[ast.AST]:
    """Of the nodes of a walk, those that are what `begins` gives of one of them, or are in it: each once.

    What is in another as often as a stranger likes, as an `if` in an `if`, would be gone through from each.
    """
    found: set[int] = set()
    for node in nodes:
        found.update(map(id, begins(node)))
        if id(node) in found:
            yield node
            found.update(map(id, children(node)))


def children(node: ast.AST) -> list[ast.AST]:
    """What is right below a node, in the order of the text."""
    kind = type(node)
    if kind not in _fields:
        _fields[kind] = tuple(name for name in kind._fields if name not in _NO_CODE)
    found: list[ast.AST] = []
    for name in _fields[kind]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def in_any_case(tree: ast.AST, closed: tuple[type[ast.AST], ...] = ()) -> Iterator[ast.AST]:
    """A node and all below it, but what runs only where something holds, and that whose failure is caught.

    closed: nodes below it that are not looked into.
    """
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Try):
            continue
        yield node
        if node is not tree and isinstance(node, closed):
            continue
        if isinstance(node, ast.If) and asks_for_main(node):
            left += reversed(node.body)
        elif isinstance(node, ast.If | ast.IfExp):
            left.append(node.test)
        elif isinstance(node, ast.BoolOp):
            left.append(node.values[0])
        elif isinstance(node, ast.Match):
            left.append(node.subject)
        else:
            left += reversed(children(node))


def own_nodes(tree: ast.AST) -> list[ast.AST]:
    """A node and all below it but what is in functions in it, in which names are others."""
    found = [tree]
    for one in found:
        if one is tree or not isinstance(one, FUNCTIONS):
            found += children(one)
    return found


def dotted(node: ast.AST) -> str:
    """A name, or an attribute with all that it is one of; empty for anything else. A stranger's may be very deep."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def key_of(node: ast.AST) -> str:
    """A name, with up to three attributes; empty for anything else. Takes no longer where a stranger's is very deep."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < _LEVELS:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def same(one: ast.AST, other: ast.AST) -> bool:
    """Are two trees the same, wherever they are in the text? Takes no longer than the smaller of them is large."""
    left: list[tuple[object, object]] = [(one, other)]
    while left:
        first, second = left.pop()
        if type(first) is not type(second):
            return False
        if isinstance(first, ast.AST):
            left += ((getattr(first, name, None), getattr(second, name, None)) for name in first._fields)
        elif isinstance(first, list) and isinstance(second, list):
            if len(first) != len(second):
                return False
            left += zip(first, second, strict=True)
        elif first != second:
            return False
    return True


def short(node: ast.AST) -> str:
    """An expression or statement as it is written; empty for a long one, which is as deep as a stranger makes it."""
    return ast.unparse(node) if sum(1 for _ in islice(ast.walk(node), _SHORT + 1)) <= _SHORT else ""


def is_self(node: ast.AST) -> bool:
    """Is it the name that methods give their object?"""
    return isinstance(node, ast.Name) and node.id == "self"


def asks_for_main(branch: ast.If | ast.IfExp) -> bool:
    """Is it `if __name__ == "__main__"`?"""
    test = branch.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    return any(isinstance(one, ast.Name) and one.id == "__name__" for one in sides)


def certain(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function that run in any case, up to the first after which that is not sure."""
    for node in body:
        yield node
        if isinstance(node, ast.Return | ast.Raise | ast.Try | ast.While):
            return
        if any(isinstance(inner, ast.Return) for inner in walk(node)):
            return


def until_exit(statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """These, up to the first that ends the program or the function."""
    for node in statements:
        yield node
        if exits(node):
            return


def exits(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise | ast.Return):
        return True
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and dotted(call.func) in _EXITS


def is_dead(test: ast.expr) -> bool:
    """Is it `if 0`, `if False` or `if not True`?"""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and bool(test.operand.value)
    return isinstance(test, ast.Constant) and not test.value


def running(node: ast.AST) -> list[ast.AST]:
    """What is right below a node, but statements after the one that ends a block, and a branch that never runs."""
    left = set(children(node))
    for name in _BODIES:
        body = getattr(node, name, None)
        if isinstance(body, list):
            left -= set(body) - set(until_exit(body))
    if isinstance(node, ast.If | ast.While) and is_dead(node.test):
        left -= set(node.body)
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
        left -= set(node.orelse)
    elif isinstance(node, ast.AnnAssign):
        left.discard(node.annotation)  # that of a local name is not evaluated
    return [one for one in children(node) if one in left]


def uncaught(tree: ast.AST, closed: tuple[type[ast.AST], ...] = ()) -> list[ast.AST]:
    """A node and what below it may run with nothing that catches its failure.

    closed: nodes below it that are not looked into.
    """
    found = [tree]
    for one in found:
        if one is not tree and isinstance(one, closed):
            continue
        if isinstance(one, ast.expr):
            found += children(one)  # most nodes: nothing of them ends a block
        elif not _catches(one):
            found += running(one)
    return found


def _catches(node: ast.AST) -> bool:
    return bool(getattr(node, "handlers", ())) or suppresses(node)


def hints_unread(nodes: Sequence[ast.AST]) -> set[ast.AST]:
    """All parts of annotations, of nodes of a file, that nothing evaluates: `from __future__ import annotations`."""
    futures = [one for one in nodes if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    if not any(name.name == "annotations" for one in futures for name in one.names):
        return set()
    found = (getattr(one, name, None) for one in nodes for name in ("annotation", "returns"))
    return set(walk_all(hint for hint in found if isinstance(hint, ast.AST)))


def suppresses(node: ast.AST) -> bool:
    """Is it `with contextlib.suppress(NameError)`?"""
    items = node.items if isinstance(node, ast.With) else ()
    calls = (item.context_expr for item in items)
    return any(isinstance(call, ast.Call) and dotted(call.func).rpartition(".")[2] == "suppress" for call in calls)
