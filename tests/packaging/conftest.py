"""A bare clone, and a way to run programs in it that leaks nothing of this environment."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def run() -> Run:
    """`run(*command, cwd=folder, status=0, **variables)`: that exit status is asserted."""

    def run(*command: str | Path, cwd: Path, status: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GIT_"))}
        done = subprocess.run(
            command, cwd=cwd, env={**inherited, **variables}, capture_output=True, text=True, timeout=500, check=False
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def sources(root: Path, run: Run) -> list[str]:
    """All files that a commit of now would hold."""
    names = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=root).stdout.splitlines()
    return [name for name in names if (root / name).is_file()]


@pytest.fixture(scope="session")
def clone(root: Path, sources: list[str], run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with these files, committed, and no other."""
    clone = tmp_path_factory.mktemp("clone")
    for name in sources:
        target = clone / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((root / name).read_bytes())
        target.chmod((root / name).stat().st_mode)
    run("git", "init", "-q", cwd=clone)
    run("git", "add", "--all", cwd=clone)
    run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "All", cwd=clone)
    return clone
