"""What a check leaves for later, so that one file is checked soon after the command is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("caffe", "lint", "numerics", "project", "report", "schema", "text")
ALWAYS_USED = {"caffelint/text/parser.py", "caffelint/text/tokens.py"}
"""Every check uses their patterns."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    """The modules of which a check may import any."""
    for folder in (*(f"caffelint/{name}" for name in FOLDERS), "rules"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from run_at_import(child)


def test_patterns_are_compiled_when_they_are_used() -> None:
    found = {
        f"{name}:{node.lineno}: use compiled_later"
        for name, tree in modules()
        for node in run_at_import(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" and name not in ALWAYS_USED
    }
    assert not found
