"""What `backward` of a Python layer computes with that `forward` of one in place has overwritten."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from caffelint.project.python_nodes import walk


def overwritten(
    forward: Sequence[ast.AST], blobs: tuple[str, str], backward: Sequence[ast.AST], bottoms: str
) -> dict[int, int]:
    """The numbers of bottoms whose data `backward` computes with, each with the line, where `forward` has written the
    data of the top of that number. forward, backward: all of their code. blobs: what the first calls its bottoms and
    tops; bottoms: what the second calls them.

    Not one that is only compared, as by a ReLU, or taken from 1, as where a Sigmoid means its own output, as an Exp
    does; nor where the output is the input.
    """
    written = {
        number
        for node in forward
        if isinstance(node, ast.Assign | ast.AugAssign)
        if isinstance(node, ast.AugAssign) or not _keeps(node.value, blobs[0])
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if (number := _data(target, blobs[1], {})) is not None
    }
    names: dict[str, int] = {}
    for node in backward:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            number = _data(node.value, bottoms, {})
            if number is not None:
                names[node.targets[0].id] = number
    computed: dict[int, int] = {}
    operations = [node for node in backward if isinstance(node, ast.BinOp)]
    means_output = {number for node in operations for number in _taken_from_one(node, bottoms, names)}
    for node in operations:
        for side in (node.left, node.right):
            number = _data(side, bottoms, names)
            if number is not None and number in written - means_output:
                computed.setdefault(number, node.lineno)
    return computed


def _keeps(value: ast.expr, bottoms: str) -> bool:
    """Is it the data of a bottom, or a copy or exp of these?"""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr == "exp":
            return True
        value = value.func.value if value.func.attr == "copy" else value
    return _data(value, bottoms, {}) is not None


def _taken_from_one(node: ast.BinOp, bottoms: str, names: Mapping[str, int]) -> Iterable[int]:
    """The bottoms in `1 - x` and `1 - x ** 2`."""
    if not isinstance(node.op, ast.Sub) or not (isinstance(node.left, ast.Constant) and node.left.value == 1):
        return []
    found = (_data(one, bottoms, names) for one in walk(node.right) if isinstance(one, ast.expr))
    return [number for number in found if number is not None]


def _data(node: ast.expr, blobs: str, names: Mapping[str, int]) -> int | None:
    """The number of the blob in `bottom[0].data`, with an index behind it or not, and in what is named so."""
    while isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute | ast.Name):
        if isinstance(node.value, ast.Name) and node.value.id not in names:
            return None
        node = node.value
    if isinstance(node, ast.Name):
        return names.get(node.id)
    blob = node.value if isinstance(node, ast.Attribute) and node.attr == "data" else None
    if not isinstance(blob, ast.Subscript) or not isinstance(blob.value, ast.Name) or blob.value.id != blobs:
        return None
    at = blob.slice
    return at.value if isinstance(at, ast.Constant) and type(at.value) is int else None
