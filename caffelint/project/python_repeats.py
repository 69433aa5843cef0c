"""One and the same array that code puts into a list again and again, while it changes it: all items are the last."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from caffelint.project.python_nodes import walk
from caffelint.project.python_views import ONCE, own_array
from caffelint.text.records import NamedTuple

_MOST_LOOPS = 8
"""Loops in loops that are told apart: each is held against all that stands in it."""


class RepeatedArray(NamedTuple):
    """`method` puts the array `name` into a list (at `line`) in a loop that changes it in place (at `changed`)."""

    method: str
    line: int
    name: str
    changed: int


@dataclass
class _Loop:
    """What the body of a loop does, with all loops in it."""

    targets: frozenset[str]
    """Its own and those of the loops around, which are others whenever these go on."""
    made: set[str]
    changed: dict[str, int] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)


class _Kept(NamedTuple):
    """What is put into the list `into`, in loops that come to it again."""

    name: str
    line: int
    into: str
    loops: tuple[_Loop, ...]


def repeated(methods: Iterable[ast.FunctionDef]) -> Iterator[RepeatedArray]:
    """In the order of the text. Of an array that the loop may make anew, nothing is told."""
    known = {method.name: method for method in methods}
    makes: dict[str, set[str]] = {}
    writes: dict[str, dict[str, int]] = {}
    """Of each name the methods that make it, and those that write into it, with the line."""
    returns = {name: _returned(method) for name, method in known.items()}
    for method in known.values():
        for node in walk(method):
            for name in _made(node):
                makes.setdefault(name, set()).add(method.name)
            for name, line in _changed(node):
                writes.setdefault(name, {}).setdefault(method.name, line)
    for method in known.values():
        for kept in _kept(method, returns):
            name, is_own = kept.name, kept.name.startswith("self.")
            if is_own and not makes.get(name, set()) <= {*ONCE}:
                continue
            for loop in kept.loops:
                by = loop.called & writes.get(name, {}).keys() if is_own else ()
                changed = loop.changed.get(name) or min((writes[name][one] for one in by), default=0)
                if changed and name not in loop.made and not _is_made(kept.into, loop, makes):
                    yield RepeatedArray(method.name, kept.line, name, changed)
                    break


def _is_made(into: str, loop: _Loop, makes: Mapping[str, set[str]]) -> bool:
    """Is it another list each time, which then holds the array once?"""
    return into in loop.made or into.startswith("self.") and not loop.called.isdisjoint(makes.get(into, ()))


def _kept(method: ast.FunctionDef, returns: Mapping[str, str]) -> list[_Kept]:
    """What is put into a list as it is: `crops.append(self.patch)`, also as what a method returns."""
    found = []
    inside: tuple[_Loop, ...]
    again: tuple[_Loop, ...]
    """The loops around a statement, and those of them that may come to it more than once."""
    todo: list[tuple[ast.AST, tuple[_Loop, ...], tuple[_Loop, ...]]] = [(method, (), ())]
    while todo:
        node, inside, again = todo.pop()
        made, changed, called = [*_made(node)], [*_changed(node)], _own_call(node)
        for loop in inside:
            loop.made.update(made)
            for name, line in changed:
                loop.changed.setdefault(name, line)
            if called:
                loop.called.add(called)
        # Of two arguments it is the one of numpy, which copies.
        if again and isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Attribute):
            name = returns.get(_own_call(node.args[0]), "") or _name(node.args[0])
            if node.func.attr == "append" and name:
                found.append(_Kept(name, node.lineno, _name(node.func.value), again))
        below: list[tuple[ast.AST, tuple[_Loop, ...], tuple[_Loop, ...]]] = []
        for label, value in ast.iter_fields(node):
            within, repeats = inside, again
            if isinstance(node, ast.For | ast.While) and label == "body" and len(inside) < _MOST_LOOPS:
                targets = frozenset(_made(node)).union(*(loop.targets for loop in inside[-1:]))
                one = _Loop(targets, {*targets})
                within, repeats = (*inside, one), (*again, one)
            part = []
            for child in reversed(value if isinstance(value, list) else [value]):
                # What stands before the end of a loop or of a method comes only once.
                if isinstance(child, ast.Return | ast.Raise):
                    repeats = ()
                elif isinstance(child, ast.Break):
                    repeats = tuple(loop for loop in repeats if loop is not within[-1])
                if isinstance(child, ast.AST):
                    part.append((child, within, repeats))
            below += reversed(part)
        todo += reversed(below)
    return found


def _name(node: ast.AST) -> str:
    """`patch` and `self.patch`; "" of all else."""
    return node.id if isinstance(node, ast.Name) else own_array(node)


def _made(node: ast.AST) -> Iterator[str]:
    """What a statement gives another object, and lists that it empties."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [*node.targets]
    elif isinstance(node, ast.For | ast.AnnAssign | ast.NamedExpr | ast.comprehension):
        targets = [node.target]
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        targets = [node.optional_vars]
    elif isinstance(node, ast.Delete):
        targets = [one.value for one in node.targets if isinstance(one, ast.Subscript)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clear":
        targets = [node.func.value]
    while targets:
        target = targets.pop()
        if isinstance(target, ast.Tuple | ast.List):
            targets += target.elts
        elif name := _name(target.value if isinstance(target, ast.Starred) else target):
            yield name


def _changed(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Arrays whose values are written, as by `patch[...] = x`, `numpy.copyto(patch, x)` or `f(x, out=patch)`."""
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


def _returned(method: ast.FunctionDef) -> str:
    """The one array of the layer that a method gives back; "" if it gives back another thing, or one of several."""
    ends = [end for end in walk(method) if isinstance(end, ast.Return) and end.value is not None]
    names = {_name(end.value) for end in ends if end.value is not None}
    name = names.pop() if len(names) == 1 else ""
    return name if name.startswith("self.") else ""
