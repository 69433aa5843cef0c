"""What code of a Python layer reads of the blobs that it is given."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from caffelint.project.python_nodes import inside

_OF_SHAPE = frozenset(["shape", "ndim", "size", "dtype"])


def reads_values(nodes: Sequence[ast.AST], bottoms: str) -> bool:
    """May code use the data of a bottom for more than their shape? nodes: all of it. bottoms: what it calls them."""
    shapes = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr in _OF_SHAPE}

    def read(node: ast.AST) -> Sequence[ast.AST]:
        """Data, and names that are handed on."""
        if isinstance(node, ast.Call):
            return [one for one in node.args if isinstance(one, ast.Name)]
        is_data = isinstance(node, ast.Attribute) and node.attr == "data" and id(node) not in shapes
        return [node] if is_data else []

    return any(isinstance(one, ast.Name) and one.id == bottoms for one in inside(nodes, read))
