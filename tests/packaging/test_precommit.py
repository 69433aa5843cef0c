"""The real pre-commit, in somebody's repository, stops a commit that holds a mistake, and mends what it may."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

MISTAKE = 'net: "net.prototxt"\nbase_lr: 0.01\nlr_policy: "poly"\npower: 1\n'
SOUND = MISTAKE + "max_iter: 100\n"
UNQUOTED = SOUND.replace('"poly"', "poly")
LEGACY = SOUND + "solver_type: ADAM  # kept\n"


@pytest.fixture
def commit(clone: Path, run: Any, tmp_path: Path) -> Any:
    """Writes a solver beside a net, in a repository that uses a hook, and runs that; what it said."""
    revision = run("git", "rev-parse", "HEAD", cwd=clone).stdout.strip()
    ids = "".join(f"  - id: {name}\n" for name in ("caffelint", "caffelint-fix", "caffelint-upgrade"))
    (tmp_path / ".pre-commit-config.yaml").write_text(f"repos:\n- repo: {clone}\n  rev: {revision}\n  hooks:\n{ids}")
    (tmp_path / "net.prototxt").write_text('name: "empty"\n')
    run("git", "init", "-q", cwd=tmp_path)

    def commit(hook: str, solver: str, status: int) -> str:
        (tmp_path / "solver.prototxt").write_text(solver)
        run("git", "add", "--all", cwd=tmp_path)
        command = [sys.executable, "-m", "pre_commit", "run", hook]
        return run(*command, cwd=tmp_path, status=status, PRE_COMMIT_HOME=str(tmp_path / ".git/pre-commit")).stdout

    return commit


def test_hooks(commit: Any, tmp_path: Path) -> None:
    solver = tmp_path / "solver.prototxt"
    assert "poly-without-max-iter" in commit("caffelint", MISTAKE, status=1)
    assert "Passed" in commit("caffelint", SOUND, status=0)

    said = commit("caffelint-fix", UNQUOTED, status=1)
    assert "fixed 1 finding in 1 file" in said
    assert solver.read_text() == SOUND
    assert "Passed" in commit("caffelint-fix", SOUND, status=0)
    assert "poly-without-max-iter" in commit("caffelint-fix", MISTAKE, status=1)

    assert "files were modified by this hook" in commit("caffelint-upgrade", LEGACY, status=1)
    assert solver.read_text() == SOUND + 'type: "Adam"  # kept\n'
    assert "Passed" in commit("caffelint-upgrade", solver.read_text(), status=0)


def test_hooks_leave_out_what_the_settings_exclude(commit: Any, tmp_path: Path) -> None:
    (tmp_path / "caffelint.toml").write_text('exclude = ["solver.prototxt"]\n')
    for hook in ("caffelint", "caffelint-fix", "caffelint-upgrade"):
        assert "Passed" in commit(hook, LEGACY.replace("max_iter: 100\n", ""), status=0)


def test_the_page_is_right(clone: Path, run: Any, root: Path, tmp_path: Path) -> None:
    """A reader who does as it says sees what it shows, from the commit that is stopped to the one that is not."""
    page = (root / "docs/pre-commit.md").read_text("utf-8")
    (settings,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (solver,) = re.findall(r"<!-- write: solver.prototxt -->\n```\n(.*?)```", page, re.DOTALL)
    (shown,) = re.findall(r"```text\n\$ git commit.*?\n(.*?)\n```", page, re.DOTALL)
    revision = run("git", "rev-parse", "HEAD", cwd=clone).stdout.strip()
    settings = settings.replace("https://github.com/caffelint/caffelint", str(clone)).replace(
        "rev: main", f"rev: {revision}"
    )
    (tmp_path / ".pre-commit-config.yaml").write_text(settings)
    (tmp_path / "net.prototxt").write_text('name: "empty"\n')
    (tmp_path / "solver.prototxt").write_text(solver)
    variables = {"PRE_COMMIT_HOME": str(tmp_path / ".git/pre-commit")}
    run("git", "init", "-q", cwd=tmp_path)
    run(sys.executable, "-m", "pre_commit", "install", cwd=tmp_path, **variables)
    run("git", "add", "--all", cwd=tmp_path)
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "Train with poly"]
    said = run(*commit, cwd=tmp_path, status=1, **variables)
    lines = [line.rstrip() for line in (said.stdout + said.stderr).splitlines() if not line.startswith("[")]
    assert "\n".join(lines).strip() == shown
    (tmp_path / "solver.prototxt").write_text(solver + "max_iter: 10000\n")
    run("git", "add", "--all", cwd=tmp_path)
    assert "Passed" in run(*commit, cwd=tmp_path, **variables).stderr
