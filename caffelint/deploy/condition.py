"""Conditions of facts: `len(stride) > 1 and not given("stride_h")`, over what a subject says of a layer or a net.

A condition is a Python expression of a few forms: names, numbers, strings, lists, `and`, `or`, `not`, comparisons,
`in`, arithmetic, an index, and calls of the functions below or of the subject's own. It is never run as Python. What is
unknown is None, and so is all that hangs on it: `None and False` is False, `None and True` is None.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from caffelint.deploy.wrong_facts import WrongFacts


class Subject(Protocol):
    """What a condition is asked of."""

    def value(self, name: str) -> Any:
        """What a name means; None if unknown. Raises `KeyError` for a name without meaning."""

    def given(self, field: str) -> bool:
        """Does the text give a field?"""


Condition = Callable[[Subject], Any]

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, many: one in many,
    ast.NotIn: lambda one, many: one not in many,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "len": len,
    "max": lambda values: max(values, default=None),
    "min": lambda values: min(values, default=None),
    "distinct": lambda values: len(set(values)),
}


def compile_condition(text: str) -> Condition:
    """A condition as a function of a subject: True, False or None for unknown. Raises `WrongFacts`."""
    try:
        return _compiled(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise WrongFacts(f"{text!r} is no condition: {error.msg}") from error


def _compiled(node: ast.expr) -> Condition:
    if isinstance(node, ast.Constant):
        constant = node.value
        return lambda subject: constant
    if isinstance(node, ast.Name):
        name = node.id
        return lambda subject: subject.value(name)
    if isinstance(node, ast.List):
        return _called(lambda *values: list(values), [_compiled(one) for one in node.elts])
    if isinstance(node, ast.BoolOp):
        parts = [_compiled(one) for one in node.values]
        return _any_of(parts) if isinstance(node.op, ast.Or) else _all_of(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _called(operator.not_, [_compiled(node.operand)])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _called(operator.neg, [_compiled(node.operand)])
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _called(_BINARY[type(node.op)], [_compiled(node.left), _compiled(node.right)])
    if isinstance(node, ast.Compare) and all(type(one) in _COMPARE for one in node.ops):
        sides = [_compiled(one) for one in (node.left, *node.comparators)]
        compared = [
            _called(_COMPARE[type(op)], [left, right])
            for op, left, right in zip(node.ops, sides, sides[1:], strict=False)
        ]
        return _all_of(compared)
    if isinstance(node, ast.Subscript):
        return _called(_item, [_compiled(node.value), _compiled(node.slice)])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id == "given" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            field = str(node.args[0].value)
            return lambda subject: subject.given(field)
        if node.func.id in _FUNCTIONS:
            return _called(_FUNCTIONS[node.func.id], [_compiled(one) for one in node.args])
    raise WrongFacts(f"a condition does not know `{ast.unparse(node)}`")


def _called(function: Callable[..., Any], arguments: list[Condition]) -> Condition:
    def called(subject: Subject) -> Any:
        values = [argument(subject) for argument in arguments]
        return None if any(value is None for value in values) else function(*values)

    return called


def _item(values: Any, index: int) -> Any:
    return values[index] if -len(values) <= index < len(values) else None


def _all_of(parts: list[Condition]) -> Condition:
    def every(subject: Subject) -> Any:
        known: Any = True
        for part in parts:
            found = part(subject)
            if found is None:
                known = None
            elif not found:
                return False
        return known

    return every


def _any_of(parts: list[Condition]) -> Condition:
    def some(subject: Subject) -> Any:
        known: Any = False
        for part in parts:
            found = part(subject)
            if found is None:
                known = None
            elif found:
                return True
        return known

    return some
