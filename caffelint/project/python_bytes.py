"""Where a script makes bytes of values, as by `astype(np.uint8)`: of those from 0 to 1 they are 0, all but 1 itself."""

from __future__ import annotations

import ast

from caffelint.project.python2 import parse
from caffelint.project.python_nodes import walk
from caffelint.project.python_reads import casts
from caffelint.project.script_writes import is_written

_BYTES = frozenset(["uint8"])
_MOST = 50
"""Places of a path that are looked at."""
_GO_ON = ("_", "-", ".")
"""Before a name, but for what is a longer one."""


def bytes_made(text: str, name: str, folder: str) -> list[int]:
    """The lines, 1-based, of a script that writes a file of that name or files in that folder.

    None where it multiplies by more than 1 anywhere: values of 0 to 1 may be meant.
    """
    stored = (name, folder and f"{folder}/")
    if not any(one in text for one in _BYTES) or not any(one and _is_stored(text, one) for one in stored):
        return []
    tree, _ = parse(text)
    code = walk(tree) if tree is not None else []
    if any(isinstance(node, ast.BinOp | ast.AugAssign) and _enlarges(node) for node in code):
        return []
    return sorted({node.lineno for node in code if isinstance(node, ast.Call) and casts(node, _BYTES)})


def _is_stored(text: str, path: str) -> bool:
    at = -1
    for _ in range(_MOST):
        at = text.find(path, at + 1)
        if at < 0:
            return False
        before, after = text[at - 1 : at], text[at + len(path) : at + len(path) + 1]
        whole = not before.isalnum() and before not in _GO_ON and (path[-1] == "/" or not after.isalnum())
        if whole and is_written(text, at, at + len(path)):
            return True
    return False


def _enlarges(node: ast.BinOp | ast.AugAssign) -> bool:
    factors = [node.value] if isinstance(node, ast.AugAssign) else [node.left, node.right]
    numbers = [one.value for one in factors if isinstance(one, ast.Constant)]
    return isinstance(node.op, ast.Mult) and any(isinstance(one, int | float) and one > 1 for one in numbers)
