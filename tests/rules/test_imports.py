"""What a rule imports, a rule pack of a stranger can import as well."""

from __future__ import annotations

import ast
from pathlib import Path

RULES = Path(__file__).parent.parent.parent / "rules"


def test_no_rule_imports_another_family() -> None:
    found = [
        f"{path.relative_to(RULES)}:{node.lineno}"
        for path in RULES.glob("*/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.level > 1 or (node.module or "").startswith(("rules.", "caffelint.rules")))
    ]
    assert not found, found
    assert len(list(RULES.glob("*/*.py"))) > 100
