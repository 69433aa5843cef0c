"""What must hold of the source tree and no linter sees."""

from __future__ import annotations

import ast
import stat
import subprocess
from pathlib import Path


def imported(path: Path) -> set[str]:
    """Absolute names of all that a module imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def test_the_program_imports_no_rule(root: Path) -> None:
    """Rules are found through their entry point alone, as anybody's rules are; import-linter cannot see this name."""
    modules = list((root / "caffelint").rglob("*.py"))
    assert modules
    for path in modules:
        wrong = {name for name in imported(path) if f"{name}.".startswith(("caffelint.rules.", "rules."))}
        assert not wrong, path


def test_scripts_can_be_run(root: Path) -> None:
    for script in [root / ".ci/run", *(root / "tools").glob("*.sh")]:
        assert script.stat().st_mode & stat.S_IXUSR, script
        subprocess.run(["sh", "-n", script], check=True)
