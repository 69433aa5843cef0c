"""Python scripts that update weights by hand from gradients which they never clear."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache

from caffelint.project.mentions import Uncleared
from caffelint.project.python_blobs import Paths, values_set
from caffelint.project.python_nodes import children, key_of, script_nodes, walk

_UPDATES = (".backward(", ".diff", ".params")
_CLEARS = ("clear_param_diffs", "ClearParamDiffs", "zero_grad", "apply_update", "setattr(")
"""What clears them, and what may do so without being seen."""
_NUMPY = ("np.", "numpy.")
_READS = frozenset(
    [
        *("abs", "copy", "dict", "enumerate", "float", "len", "list", "norm", "print", "share_weights"),
        *("share_with", "sorted", "str", "sum", "type", "zip"),
    ]
)
_WRITES = frozenset(["copyto", "fill", "nan_to_num", "place", "put", "putmask"])
_METHODS = frozenset(
    ["all", "any", "astype", "copy", "dot", "flatten", "max", "mean", "min", "std", "sum", "tolist", "var"]
)
"""Of an array, those that leave it as it is."""


@lru_cache(maxsize=2000)
def uncleared(text: str) -> tuple[Uncleared, ...]:
    """The nets of which a script runs backward in a loop, and adds their gradients to their weights, but never sets
    these gradients.

    Nothing where they are handed to what may clear them.
    """
    if not all(word in text for word in _UPDATES) or any(word in text for word in _CLEARS):
        return ()
    nodes = script_nodes(text)
    values = values_set(nodes)
    paths = Paths(values)
    nets = {key: path for key, value in values.items() if (path := paths.of_net(value))}
    if not nets or _may_clear(nodes, {*nets, *(f"{key}.params" for key in nets)}):
        return ()
    repeated = _repeated(nodes)
    again = {id(node) for node in repeated}
    statements = sorted((node for node in nodes if isinstance(node, ast.stmt)), key=lambda node: node.lineno)
    lines: dict[str, int] = {}
    for node in repeated:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
            lines.setdefault(key_of(node.func.value), node.lineno)
    return tuple(
        Uncleared(path, lines[key])
        for key, path in nets.items()
        if key in lines and id(values[key]) not in again and _updates(statements, key)
    )


def _repeated(nodes: Sequence[ast.AST]) -> list[ast.AST]:
    """What is in loops, and in functions that are called there."""
    inside: list[ast.AST] = []
    seen: set[int] = set()

    def add(found: Iterable[ast.AST]) -> None:
        left = [*found]
        while left:
            node = left.pop()
            if id(node) not in seen:
                seen.add(id(node))
                inside.append(node)
                left += children(node)

    for node in nodes:
        if isinstance(node, ast.For | ast.While):
            add(node.body)
    called = {_last(node.func) for node in inside if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name in called:
            add(node.body)
    return inside


def _may_clear(nodes: Sequence[ast.AST], nets: Container[str]) -> bool:
    """May it set a gradient of weights: in place, through another name for it, or by what takes it or a net?"""
    assigned = [node for node in nodes if isinstance(node, ast.Assign) and _is_diff(node.value)]
    names = {key_of(target) for node in assigned for target in node.targets} - {""}
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}

    def is_it(node: ast.AST | None) -> bool:
        return node is not None and (_is_diff(node) or key_of(node) in names)

    for node in nodes:
        if isinstance(node, ast.Assign):
            parts = (part for one in node.targets if not isinstance(one, ast.Name) for part in walk(one))
            found = any(map(is_it, parts))
        elif isinstance(node, ast.AugAssign):
            found = is_it(_whole(node.target))
        elif isinstance(node, ast.ListComp | ast.GeneratorExp):
            found = is_it(node.elt)
        elif isinstance(node, ast.List | ast.Tuple):
            found = any(map(is_it, node.elts))
        elif isinstance(node, ast.Return | ast.For):
            found = is_it(node.value if isinstance(node, ast.Return) else node.iter)
        elif isinstance(node, ast.Call):
            given = [*node.args, *(word.value for word in node.keywords)]
            of = node.func.value if isinstance(node.func, ast.Attribute) else None
            takes = any(map(is_it, given)) or (
                _last(node.func) not in own and any(key_of(one) in nets for one in given)
            )
            found = (is_it(of) and _last(node.func) not in _METHODS) or (takes and not _only_reads(node))
        else:
            found = False
        if found:
            return True
    return False


def _only_reads(call: ast.Call) -> bool:
    name = _last(call.func)
    return name in _READS or (key_of(call.func).startswith(_NUMPY) and name not in _WRITES)


def _is_diff(node: ast.AST) -> bool:
    """Is it the gradient of something, all of it or a part? Not that of a blob of the net, which no update reads."""
    node = _whole(node)
    if not isinstance(node, ast.Attribute) or node.attr != "diff":
        return False
    of = _whole(node.value)
    return not (isinstance(of, ast.Attribute) and of.attr == "blobs")


def _updates(statements: Iterable[ast.AST], net: str) -> bool:
    """Does it change weights of the net by what comes of their gradients?"""
    weights, gradients = {f"{net}.params"}, set[str]()
    for node in statements:
        if isinstance(node, ast.Assign):
            source, targets = node.value, node.targets
        elif isinstance(node, ast.AugAssign):
            source, targets = node.value, [node.target]
        elif isinstance(node, ast.For):
            source, targets = node.iter, [node.target]
        else:
            continue
        inner = walk(source)
        read = {*map(key_of, inner)}
        is_of_weights = bool(weights & read)
        is_gradient = bool(gradients & read) or (is_of_weights and any(map(_is_diff, inner)))
        for target in targets:
            whole = _whole(target)
            if is_gradient and isinstance(whole, ast.Attribute) and whole.attr == "data":
                if not weights.isdisjoint(map(key_of, walk(whole))):
                    return True
            held = {key_of(_whole(one)) for one in (target.elts if isinstance(target, ast.Tuple) else [target])} - {""}
            gradients |= held if is_gradient else set()
            weights |= held if is_of_weights else set()
    return False


def _whole(node: ast.AST) -> ast.AST:
    """What a part is of."""
    return node.value if isinstance(node, ast.Subscript) else node


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else key_of(node)
