"""One and the same array that code puts into a list again and again, while it changes it: all items are the last."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

_ONCE = ("setup", "__init__")
Loop = ast.For | ast.While


class RepeatedArray(NamedTuple):
    """`method` puts the array `name` into a list (at `line`) in a loop that changes it in place (at `changed`)."""

    method: str
    line: int
    name: str
    changed: int


def repeated(methods: Iterable[ast.FunctionDef]) -> Iterator[RepeatedArray]:
    """In the order of the text. Of an array that the loop may make anew, nothing is told."""
    known = {method.name: method for method in methods}
    anew = {
        name
        for method in known.values()
        if method.name not in _ONCE
        for node in ast.walk(method)
        for name in _made(node)
        if name.startswith("self.")
    }
    writes = {name: dict(_changed(ast.walk(method))) for name, method in known.items()}
    for method in known.values():
        for loop in (node for node in ast.walk(method) if isinstance(node, Loop)):
            inner = [node for statement in loop.body for node in ast.walk(statement)]
            made = anew | {name for node in inner for name in _made(node)}
            changed = dict(_changed(inner))
            for called in (name for node in inner if (name := _own_call(node)) in writes):
                for name, line in writes[called].items():
                    changed.setdefault(name, line if name.startswith("self.") else 0)
            for name, line in _kept(inner, known):
                if changed.get(name) and name not in made:
                    yield RepeatedArray(method.name, line, name, changed[name])


def _name(node: ast.AST) -> str:
    """`patch` and `self.patch`; "" of all else."""
    if isinstance(node, ast.Name):
        return node.id
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return f"self.{node.attr}" if is_own else ""  # type: ignore[attr-defined]


def _made(node: ast.AST) -> Iterator[str]:
    """What a statement gives another object."""
    targets: Sequence[ast.expr] = ()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.For | ast.AnnAssign | ast.NamedExpr | ast.comprehension):
        targets = [node.target]
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        targets = [node.optional_vars]
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        yield from (name for part in parts if (name := _name(part)))


def _changed(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Arrays whose values are written, as by `patch[...] = x`, `numpy.copyto(patch, x)` or `f(x, out=patch)`."""
    for node in nodes:
        targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AugAssign):
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Subscript) and (name := _name(target.value)) and _is_array(target):
                yield name, node.lineno  # type: ignore[attr-defined]
        if isinstance(node, ast.Call):
            outs = [one.value for one in node.keywords if one.arg == "out"]
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if called == "copyto" and node.args:
                outs.append(node.args[0])
            yield from ((name, node.lineno) for one in outs if (name := _name(one)))


def _is_array(target: ast.Subscript) -> bool:
    """Is it written as only arrays are, `x[...]`, `x[:]` or `x[0, :]`, not one item of a list or a dict?"""
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    return any(isinstance(one, ast.Slice) or (isinstance(one, ast.Constant) and one.value is ...) for one in parts)


def _own_call(node: ast.AST) -> str:
    """The method in `self.cut(x)`."""
    name = _name(node.func) if isinstance(node, ast.Call) else ""
    return name[len("self.") :] if name.startswith("self.") else ""


def _kept(nodes: Iterable[ast.AST], known: Mapping[str, ast.FunctionDef]) -> Iterator[tuple[str, int]]:
    """What is put into a list as it is: `crops.append(self.patch)`, also as what a method returns."""
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"):
            continue
        for one in node.args:
            returned = known.get(_own_call(one))
            if returned is not None:
                ends = [end for end in ast.walk(returned) if isinstance(end, ast.Return) and end.value is not None]
                names = {_name(end.value) for end in ends if end.value is not None}
                if len(names) == 1 and (name := names.pop()).startswith("self."):
                    yield name, node.lineno
            elif name := _name(one):
                yield name, node.lineno
