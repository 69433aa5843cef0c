"""Whoever wrote a checkout chose what git runs in it; no command of caffelint lets git run that.

Each way is planted, and seen to work with git itself first, so that the test fails where git changes its mind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import NET, Caffelint

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the planted commands are for a shell")

OLD = 'layers { name: "a" type: RELU bottom: "data" top: "data" }\n'


def git(folder: Path, *arguments: str, check: bool = True) -> None:
    environment = {**os.environ, "GIT_ALLOW_PROTOCOL": "file:ext:ssh", "GIT_PAGER_IN_USE": "1"}
    options = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *options, *arguments], check=check, capture_output=True, env=environment)


@pytest.fixture
def checkout(project: Path) -> Path:
    """The project as a repository, with a file changed since the last commit."""
    (project / "old.prototxt").write_text(OLD)
    (project / ".gitattributes").write_text("")
    git(project, "init", "-q", ".")
    git(project, "add", ".")
    git(project, "commit", "-qm", "x")
    with (project / "net.prototxt").open("a") as net:
        net.write("# changed\n")
    return project


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "ran"


@pytest.fixture
def planted(tmp_path: Path, mark: Path) -> Path:
    """A command that leaves a mark, and passes on what it is given."""
    path = tmp_path / "planted.sh"
    path.write_text(f"#!/bin/sh\necho \"$@\" >> '{mark}'\ncat 2>/dev/null </dev/null\nexit 0\n")
    path.chmod(0o755)
    return path


Plant = Callable[[Path, Path], None]


def fsmonitor(top: Path, command: Path) -> None:
    git(top, "config", "core.fsmonitor", str(command))


def hooks(top: Path, command: Path) -> None:
    folder = top / "hooks"
    folder.mkdir()
    for name in ("post-index-change", "post-checkout", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"):
        shutil.copy(command, folder / name)
    git(top, "config", "core.hooksPath", "hooks")


def clean(top: Path, command: Path) -> None:
    (top / ".gitattributes").write_text("*.prototxt filter=x\n")
    git(top, "config", "filter.x.clean", str(command))
    git(top, "config", "filter.x.smudge", str(command))


def process(top: Path, command: Path) -> None:
    (top / ".gitattributes").write_text("*.prototxt filter=x\n")
    git(top, "config", "filter.x.process", str(command))


def external_diff(top: Path, command: Path) -> None:
    git(top, "config", "diff.external", str(command))


def driver(top: Path, command: Path) -> None:
    (top / ".gitattributes").write_text("*.prototxt diff=x\n")
    git(top, "config", "diff.x.command", str(command))


def textconv(top: Path, command: Path) -> None:
    (top / ".gitattributes").write_text("*.prototxt diff=x\n")
    git(top, "config", "diff.x.textconv", str(command))


def included(top: Path, command: Path) -> None:
    (top / "more").write_text(f"[core]\n\tfsmonitor = {command}\n")
    git(top, "config", "includeIf.gitdir:/**.path", str(top / "more"))


def submodule(top: Path, command: Path) -> None:
    """A repository below whose own configuration names a command, entered as a submodule."""
    inner = top / "inner"
    inner.mkdir()
    git(inner, "init", "-q", ".")
    (inner / "net.prototxt").write_text(NET)
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "x")
    git(top, "add", "inner")
    git(top, "commit", "-qm", "y")
    fsmonitor(inner, command)
    with (inner / "net.prototxt").open("a") as net:
        net.write("# changed\n")


def alias(top: Path, command: Path) -> None:
    for name in ("x", "ls-tree", "status"):
        git(top, "config", f"alias.{name}", f"!{command}")


def worktree_config(top: Path, command: Path) -> None:
    """Settings of one work tree, which git keeps apart."""
    git(top, "config", "core.repositoryFormatVersion", "1")
    git(top, "config", "extensions.worktreeConfig", "true")
    git(top, "config", "--worktree", "core.fsmonitor", str(command))


def moved(top: Path, command: Path) -> None:
    """A file `.git` that names the repository, here one of the checkout's own folders."""
    fsmonitor(top, command)
    (top / ".git").rename(top / "repository")
    (top / ".git").write_text("gitdir: repository\n")


def linked(top: Path, command: Path) -> None:
    fsmonitor(top, command)
    (top / ".git").rename(top / "repository")
    (top / ".git").symlink_to("repository")


def promisor(top: Path, command: Path) -> None:
    """Objects that are missing are fetched from where the repository says: here, from a command."""
    git(top, "config", "remote.origin.url", f"ext::{command}")
    git(top, "config", "remote.origin.promisor", "true")
    git(top, "config", "core.repositoryFormatVersion", "1")
    git(top, "config", "extensions.partialClone", "origin")
    shutil.rmtree(top / ".git" / "objects")
    (top / ".git" / "objects").mkdir()


def ssh(top: Path, command: Path) -> None:
    promisor(top, command)
    git(top, "config", "remote.origin.url", "ssh://nowhere/x")
    git(top, "config", "core.sshCommand", str(command))


WAYS: dict[str, tuple[Plant, tuple[str, ...]]] = {
    "fsmonitor": (fsmonitor, ("status",)),
    "hooks": (hooks, ("update-index", "--refresh", "--really-refresh")),
    "clean": (clean, ("diff",)),
    "process": (process, ("diff",)),
    "external_diff": (external_diff, ("diff",)),
    "driver": (driver, ("diff",)),
    "textconv": (textconv, ("diff",)),
    "included": (included, ("status",)),
    "submodule": (submodule, ("status",)),
    "alias": (alias, ("x",)),
    "worktree_config": (worktree_config, ("status",)),
    "moved": (moved, ("status",)),
    "linked": (linked, ("status",)),
    "promisor": (promisor, ("ls-tree", "-r", "HEAD")),
    "ssh": (ssh, ("ls-tree", "-r", "HEAD")),
}
COMMANDS = [
    ("check", "."),
    ("check", ".", "--changed-only"),
    ("check", ".", "--diff"),
    ("check", ".", "--fix", "--changed-only"),
    ("check", ".", "--add-ignores"),
    ("check", ".", "--write-baseline", "b.json"),
    ("upgrade", "."),
    ("summary", "."),
    ("summary", "net.prototxt"),
    ("lr", "solver.prototxt"),
    ("patch", "net.prototxt", "--check-finite", "all"),
    ("config", "."),
]


@pytest.mark.parametrize("way", WAYS)
def test_git_would(way: str, checkout: Path, mark: Path, planted: Path) -> None:
    plant, asked = WAYS[way]
    plant(checkout, planted)
    mark.unlink(missing_ok=True)
    git(checkout, *asked, check=False)
    assert mark.exists(), "git no longer runs this: the test below proves nothing"


@pytest.mark.parametrize("way", WAYS)
def test_caffelint_does_not(way: str, checkout: Path, mark: Path, planted: Path, caffelint: Caffelint) -> None:
    plant, _ = WAYS[way]
    plant(checkout, planted)
    mark.unlink(missing_ok=True)
    for command in COMMANDS:
        os.utime(checkout / "net.prototxt")
        run = caffelint(*command)
        assert run.status in (0, 1, 2), run.err
        assert not mark.exists(), (command, mark.read_text())


def test_a_bare_repository_below_is_a_folder(checkout: Path, mark: Path, planted: Path, caffelint: Caffelint) -> None:
    """In a clone such a folder is no checkout, but git takes it for one where it is asked from inside."""
    bare = checkout / "bare"
    bare.mkdir()
    git(bare, "init", "-q", "--bare", ".")
    (bare / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {planted}\n"
    )
    (bare / "net.prototxt").write_text(NET)
    git(bare, "status", check=False)
    assert mark.exists(), "git no longer runs this: what follows proves nothing"
    mark.unlink()
    for command in (("check", "bare"), ("check", "bare", "--changed-only"), ("summary", "bare"), ("upgrade", "bare")):
        caffelint(*command)
        assert not mark.exists(), command


def test_a_worktree_of_another_folder(
    checkout: Path, tmp_path: Path, mark: Path, planted: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    git(checkout, "worktree", "add", "-q", str(tree))
    fsmonitor(checkout, planted)
    (tree / "net.prototxt").write_text(NET + "# changed\n")
    git(tree, "status")
    assert mark.exists(), "git no longer runs this: what follows proves nothing"
    mark.unlink()
    monkeypatch.chdir(tree)
    for command in COMMANDS:
        assert caffelint(*command).status in (0, 1, 2)
        assert not mark.exists(), command


def test_a_pager_is_not_started(checkout: Path, mark: Path, planted: Path, caffelint: Caffelint) -> None:
    for name in ("core.pager", "pager.ls-tree", "pager.diff", "core.editor", "gpg.program", "credential.helper"):
        git(checkout, "config", name, str(planted))
    for command in COMMANDS:
        assert caffelint(*command).status in (0, 1, 2)
        assert not mark.exists(), command


@pytest.mark.parametrize("where", ["/dev/zero", "/proc/self", "../" * 20 + "etc", "", "x" * 100_000, "a\x01b\udcff"])
def test_a_git_file_that_leads_nowhere(project: Path, caffelint: Caffelint, where: str) -> None:
    (project / ".git").write_text(f"gitdir: {where}\n", "utf-8", "surrogateescape")
    assert caffelint("check", ".", "--no-cache").status == 1
    run = caffelint("check", ".", "--changed-only")
    assert run.status == 2
    assert run.err.count("\n") == 1
    assert run.err.startswith("caffelint: --changed-only: git failed: ")


@pytest.mark.parametrize("name", [".git", ".gitignore", ".git/index", ".git/HEAD", ".git/commondir"])
def test_git_files_that_never_end(checkout: Path, caffelint: Caffelint, name: str) -> None:
    path = checkout / name
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        make(path)
        assert caffelint("check", ".", "--no-cache").status == 1


def test_git_that_waits_is_not_waited_for(
    checkout: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caffelint.lint.changed.SECONDS", 1)
    (checkout / ".git" / "HEAD").unlink()
    os.mkfifo(checkout / ".git" / "HEAD")
    run = caffelint("check", ".", "--changed-only")
    assert run.status == 2
    assert run.err.startswith("caffelint: --changed-only: git did not answer within 1 s")


def test_a_git_in_the_checkout_is_not_the_program(
    checkout: Path, mark: Path, planted: Path, caffelint: Caffelint, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(planted, checkout / "git")
    for path in ("", ".", str(checkout)):
        monkeypatch.setenv("PATH", os.pathsep.join([path, os.environ["PATH"]]))
        run = caffelint("check", ".", "--changed-only")
        assert (run.status, run.err) == (1, "")
        assert not mark.exists()


def test_a_work_tree_elsewhere_is_not_looked_at(checkout: Path, tmp_path: Path, caffelint: Caffelint) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "other.prototxt").write_text(NET)
    git(checkout, "config", "core.worktree", str(tmp_path / "elsewhere"))
    run = caffelint("check", ".", "--changed-only", "-v")
    assert "other.prototxt" not in run.out + run.err
