"""Calls in a Python file that end with a TypeError, whatever they are given: of its own functions, and of numpy's."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from caffelint.project.python_nodes import FUNCTIONS, dotted, own_nodes, uncaught
from caffelint.project.python_unbound import functions_of, names_bound_by, plain
from caffelint.text.records import NamedTuple

_NUMPY = ("np", "numpy")
_OF_ONE = frozenset(["vstack", "hstack", "dstack", "column_stack"])
"""They take the arrays in one argument: numpy/_core/shape_base.py; newer ones have others, by name only."""
_THEN_A_NUMBER = frozenset(["concatenate", "stack"])
"""As these, but for the axis, which comes second."""
_THEN_A_TYPE = frozenset(["zeros", "ones", "empty"])
"""They take the shape in one argument, and the type of the values second."""
_SHAPE_TYPE_ORDER = 3
_COUNTING = frozenset(["int", "len", "round"])
_QUOTED = 3
"""Names of arguments that are told."""


class BadCall(NamedTuple):
    """A call that fails: its line, 1-based, what it calls, and why, as `says`; `is_absent`: what is not there."""

    line: int
    name: str
    says: str
    is_absent: bool = False


def bad_calls(body: Sequence[ast.stmt], nodes: Sequence[ast.AST]) -> Iterator[BadCall]:
    """body: the statements of a file; nodes: all of it."""
    runs = uncaught(nodes[0])
    calls = [node for node in runs if isinstance(node, ast.Call)]
    functions = functions_of(nodes, body)
    for call in calls:
        if isinstance(call.func, ast.Name) and call.func.id in functions:
            if says := refusal(call, functions[call.func.id].args):
                yield BadCall(call.lineno, call.func.id, says)
        elif says := _of_numpy(call):
            yield BadCall(call.lineno, dotted(call.func), says)
    set_ = {node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)}
    times = _times_borne(nodes)
    unsure = set_ | {name for name in times if times[name] > 1}
    for node in runs:
        if isinstance(node, ast.ClassDef):
            yield from _of_methods(node, unsure)


def _times_borne(nodes: Sequence[ast.AST]) -> Counter[str]:
    """How often each name is that of a function of a file, or is bound otherwise in the body of a class."""
    times = Counter(one.name for one in nodes if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            bound = (one for one in own_nodes(node)[1:] if not isinstance(one, FUNCTIONS))
            times.update(name for one in bound for name in names_bound_by(one))
    return times


def _of_methods(own: ast.ClassDef, unsure: set[str]) -> Iterator[BadCall]:
    """Calls `self.name(...)` of methods that no object has otherwise; unsure: names that may be others' as well."""
    methods = {one.name: one for one in plain(own.body) if one.name not in unsure and not _is_for_others(one)}
    for call in uncaught(own, (ast.ClassDef,)) if methods else ():
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in methods:
            if dotted(call.func.value) == "self" and (says := refusal(call, methods[call.func.attr].args, given=1)):
                yield BadCall(call.lineno, f"self.{call.func.attr}", says)


def _is_for_others(function: ast.FunctionDef) -> bool:
    """Is it one that classes made of its own give anew: does it nothing, or only raise?"""
    words = (one.value if isinstance(one, ast.Expr) else one for one in function.body)
    return all(isinstance(one, ast.Pass | ast.Raise | ast.Constant) for one in words)


def refusal(call: ast.Call, args: ast.arguments, given: int = 0) -> str:
    """Why a function of these arguments refuses a call; empty if it does not, or if that is not to be told.

    given: how many of them Python gives itself.
    """
    if any(isinstance(one, ast.Starred) for one in call.args) or any(word.arg is None for word in call.keywords):
        return ""
    placed = [one.arg for one in (*args.posonlyargs, *args.args)]
    if len(placed) < given:
        return "" if args.vararg else "which takes no self"
    placed = placed[given:]
    count = len(call.args)
    if count > len(placed) and not args.vararg:
        return f"with {_arguments(count)}, of which it takes {len(placed) or 'none'}"
    words = [word.arg for word in call.keywords if word.arg]
    known = {*placed, *(one.arg for one in args.kwonlyargs)}
    for word in words:
        if word in placed[:count]:
            return f"with two values for {word}"
        if word not in known and not args.kwarg:
            return f"with {word}, which it does not take"
    needed = placed[count : max(0, len(placed) - len(args.defaults))]
    needed += [one.arg for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True) if default is None]
    missing = [name for name in needed if name not in words]
    return f"without {', '.join(missing[:_QUOTED])}, which it needs" if missing else ""


def _of_numpy(call: ast.Call) -> str:
    """Why a function of numpy refuses a call that gives what belongs in one argument in several."""
    owner, _, name = dotted(call.func).partition(".")
    if owner not in _NUMPY or any(isinstance(one, ast.Starred) for one in call.args) or len(call.args) < 2:
        return ""
    second = call.args[1]
    if name in _OF_ONE or (name in _THEN_A_NUMBER and _is_array(second)):
        return f"with {_arguments(len(call.args))}; it takes all arrays in one, as {name}((a, b))"
    if name in _THEN_A_TYPE and (_is_number(second) or len(call.args) > _SHAPE_TYPE_ORDER):
        return f"with {_arguments(len(call.args))}; it takes the shape in one, as {name}((2, 2))"
    return ""


def _is_array(node: ast.expr) -> bool:
    """Is it a part of an array, as `a[0:n, :]`, and no number?"""
    if not isinstance(node, ast.Subscript):
        return False
    index = node.slice
    return any(isinstance(one, ast.Slice) for one in (index.elts if isinstance(index, ast.Tuple) else [index]))


def _is_number(node: ast.expr) -> bool:
    """Is it surely a number, as 2, `2 * n`, `len(x)` and `x.shape[0]`?"""
    parts = [node]
    for one in parts:
        if isinstance(one, ast.BinOp) and not isinstance(one.op, ast.Mod):
            parts += [one.left, one.right]
    if any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in parts):
        return False
    return any(_counts(one) for one in parts)


def _counts(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return dotted(node.value).endswith(".shape") and not isinstance(node.slice, ast.Slice)
    if isinstance(node, ast.Call):
        return dotted(node.func) in _COUNTING
    return isinstance(node, ast.Constant) and type(node.value) is int


def _arguments(count: int) -> str:
    return f"{count} argument{'s' if count != 1 else ''}"
