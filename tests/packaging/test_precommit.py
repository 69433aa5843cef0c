"""The real pre-commit, in somebody's repository, stops a commit that holds a mistake."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def commit(clone: Path, run: Any, tmp_path: Path) -> Any:
    """Writes a solver beside a net, in a repository that uses the hook, and runs the hook; what it said."""
    revision = run("git", "rev-parse", "HEAD", cwd=clone).stdout.strip()
    hook = f"repos:\n- repo: {clone}\n  rev: {revision}\n  hooks:\n  - id: caffelint\n"
    (tmp_path / ".pre-commit-config.yaml").write_text(hook)
    (tmp_path / "net.prototxt").write_text('name: "empty"\n')
    run("git", "init", "-q", cwd=tmp_path)

    def commit(solver: str, status: int) -> str:
        (tmp_path / "solver.prototxt").write_text(solver)
        run("git", "add", "--all", cwd=tmp_path)
        command = [sys.executable, "-m", "pre_commit", "run"]
        return run(*command, cwd=tmp_path, status=status, PRE_COMMIT_HOME=str(tmp_path / ".git/pre-commit")).stdout

    return commit


def test_hook(commit: Any) -> None:
    mistake = 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "poly"\npower: 1\n'
    assert "poly-without-max-iter" in commit(mistake, status=1)
    assert "Passed" in commit(mistake + "max_iter: 100\n", status=0)
