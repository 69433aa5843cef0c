"""The shapes that a Python layer gives its tops, as far as its text says: constants, and axes of its bottoms."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import islice

from caffelint.project.dimensions import WHOLE, Dimension, OfBottom, TopShapes
from caffelint.project.python_nodes import walk

_NAMED_AXES = {"num": 0, "channels": 1, "height": 2, "width": 3}
_HARMLESS = frozenset(["data", "diff", "shape", "count", *_NAMED_AXES])
"""Attributes of a blob with which nothing shapes it."""
_LONGEST = 32
"""Axes of a blob."""
_MOST_PARTS = 50
"""Of what is reshaped: of more, as of a hundred calls one on the other, nothing is known."""


def top_shapes(
    certain: Iterable[tuple[Sequence[ast.stmt], str, str]], all_code: Iterable[tuple[ast.AST, str]]
) -> TopShapes:
    """The dimensions of each top that is reshaped once and for all, by its number.

    certain: of `setup` and then `reshape`, the statements that run in any case, and what they call bottoms and tops.
    all_code: all methods, with what they call the tops.
    """
    codes = list(all_code)
    if not all(_is_only_shaped(code, top) for code, top in codes):
        return {}
    found: dict[int, list[Sequence[Dimension] | None]] = {}
    seen = 0
    for statements, bottom, top in certain:
        for node in statements:
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and (number := _reshaped(call, top)) is not None:
                seen += 1
                found.setdefault(number, []).append(_dimensions(call.args, bottom) if not call.keywords else None)
    calls = [(node, top) for code, top in codes for node in walk(code) if isinstance(node, ast.Call)]
    if sum(_is_reshape_of(call, top) for call, top in calls) != seen:
        return {}
    return {number: shapes[-1] for number, shapes in found.items() if shapes[-1] is not None}


def _is_only_shaped(code: ast.AST, tops: str) -> bool:
    """Are the tops used only as `top[0].reshape(...)`, `top[0].data`, `len(top)`, so that nothing else shapes them?"""
    plain: set[ast.AST] = set()
    nodes = walk(code)
    for node in nodes:
        blob: ast.AST | None = None
        if isinstance(node, ast.Attribute) and node.attr in _HARMLESS:
            blob = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            blob = node.func.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            plain.update(node.args)
        if isinstance(blob, ast.Subscript):
            plain.add(blob.value)
    names = (node for node in nodes if isinstance(node, ast.Name) and node.id == tops)
    return plain.issuperset(names)


def _is_reshape_of(call: ast.Call, top: str) -> bool:
    """Does it reshape a top, or what cannot be told from one, as a variable cannot?"""
    function = call.func
    if not (isinstance(function, ast.Attribute) and function.attr in ("reshape", "reshape_like")):
        return False
    owner = list(islice(ast.walk(function.value), _MOST_PARTS))
    if len(owner) == _MOST_PARTS:
        return True
    names = {node.id for node in owner if isinstance(node, ast.Name)}
    is_data = any(isinstance(node, ast.Attribute) and node.attr in ("data", "diff") for node in owner)
    return not is_data and (top in names or not top or isinstance(function.value, ast.Name) and names != {"np"})


def _reshaped(call: ast.Call, top: str) -> int | None:
    """The number of the top that `top[0].reshape(...)` reshapes."""
    function = call.func
    if not (isinstance(function, ast.Attribute) and function.attr == "reshape"):
        return None
    return numbered(function.value, top)


def numbers_shaped(code: ast.AST, tops: str) -> set[int] | None:
    """The numbers of the tops that code reshapes; None if it may shape others as well."""
    if not _is_only_shaped(code, tops):
        return None
    calls = (node for node in walk(code) if isinstance(node, ast.Call) and _is_reshape_of(node, tops))
    numbers = [_reshaped(call, tops) for call in calls]
    found = {number for number in numbers if number is not None}
    return found if None not in numbers else None


def numbered(node: ast.AST, blobs: str) -> int | None:
    """The number in `top[0]`."""
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == blobs
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, int)
        and node.slice.value >= 0
    ):
        return node.slice.value
    return None


def _dimensions(arguments: Sequence[ast.expr], bottom: str) -> Sequence[Dimension] | None:
    """What `reshape` is called with: `1`, `*bottom[0].data.shape`, `bottom[0].num`; None where anything else is."""
    found: list[Dimension] = []
    for node in arguments:
        dimension = _whole(node.value, bottom) if isinstance(node, ast.Starred) else _dimension(node, bottom)
        if dimension is None:
            return None
        found.append(dimension)
    return found if 0 < len(found) <= _LONGEST else None


def _dimension(node: ast.expr, bottom: str) -> Dimension | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value if 0 < node.value < 1 << 31 else None
    if isinstance(node, ast.Attribute) and node.attr in _NAMED_AXES:
        number = numbered(node.value, bottom)
        return None if number is None else OfBottom(number, _NAMED_AXES[node.attr])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        whole = _whole(node.value, bottom)
        return whole._replace(axis=node.slice.value) if whole is not None and node.slice.value >= 0 else None
    return None


def _whole(node: ast.expr, bottom: str) -> OfBottom | None:
    """`bottom[0].data.shape` or `bottom[0].shape`."""
    if not (isinstance(node, ast.Attribute) and node.attr == "shape"):
        return None
    inner = node.value
    if isinstance(inner, ast.Attribute) and inner.attr in ("data", "diff"):
        inner = inner.value
    number = numbered(inner, bottom)
    return None if number is None else OfBottom(number, WHOLE)
