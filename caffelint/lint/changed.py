"""What differs from a commit, asked of git in a way that runs nothing of the checkout's choosing."""

from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint.git_index import Tracked
from caffelint.lint.ignored import Checkout, checkout_of
from caffelint.lint.read import ReadError, read
from caffelint.lint.walk import walk

SECONDS = 60
"""Within which git lists the files of a commit; where a file of the repository is a pipe, it never does."""
_SUBMODULE = 0o160000
_OPTIONS = {
    "core.fsmonitor": "",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "diff.external": "",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""A missing object is not fetched: the repository says from where, and by which command."""


def changed_files(base_ref: str = "HEAD", folder: str = ".") -> set[str]:
    """Absolute paths of files that differ from `base_ref` in the checkout around `folder`.

    Untracked ones and those that are gone are included. Raises `ValueError` without git. `git diff` would run filters
    of the checkout's choosing on files that may have changed: these are compared here, by their bytes as they are.
    """
    if base_ref.startswith("-"):
        raise ValueError(f'--base-ref "{base_ref}" is not a commit')
    checkout = checkout_of(folder)
    if checkout is None:
        raise ValueError("--changed-only needs a git repository, but these files are not in one")
    index = {entry.name: entry for entry in checkout.tracked()}
    before = _blobs(checkout.top, base_ref)
    names = set(index.keys() ^ before.keys())
    try:
        written = os.stat(checkout.index).st_mtime_ns
    except OSError:
        written = 0
    for name in index.keys() & before.keys():
        if not _same(os.path.join(checkout.top, name), index[name], before[name], written):
            names.add(name)
    names.update(name for name in _untracked(checkout) if name not in index)
    return {os.path.join(checkout.top, name) for name in names}


def _blobs(top: str, base_ref: str) -> dict[str, str]:
    """The blobs of a commit by path; of a submodule the commit. To list a tree, git reads neither index nor files."""
    found = {}
    for row in _git(top, "ls-tree", "-r", "-z", "--full-tree", base_ref):
        facts, _, name = row.partition("\t")
        if name:
            found[name] = facts.rpartition(" ")[2]
    return found


def _same(path: str, entry: Tracked, before: str, written: int) -> bool:
    """Whether a file is what the commit has; its bytes are read only where it may have changed since git looked."""
    if entry.skipped or entry.mode == _SUBMODULE:
        return entry.blob == before
    try:
        state = os.lstat(path)
    except OSError:
        return False
    unchanged = (state.st_mtime_ns, state.st_size & 0xFFFFFFFF) == (entry.time, entry.size)
    if not entry.merged:
        return False
    return before == (entry.blob if unchanged and entry.time < written else _blob_id(path, len(before)))


def _blob_id(path: str, length: int) -> str:
    """The name that git gives to a file's bytes, empty if they cannot be read."""
    import hashlib

    try:
        data = os.fsencode(os.readlink(path)) if os.path.islink(path) else read(path)
    except (OSError, ReadError):
        return ""
    make = hashlib.sha1 if length == 40 else hashlib.sha256
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _untracked(checkout: Checkout) -> Iterator[str]:
    """The files of a checkout that git would track, from its top."""
    for base, folders, names in walk(checkout.top):
        below = os.path.relpath(base, checkout.top)
        here = () if below == os.curdir else tuple(below.split(os.sep))
        if here and (".git" in folders or ".git" in names):
            folders.clear()
            continue
        folders[:] = [name for name in folders if name != ".git" and not checkout.ignores((*here, name), True)]
        files = (name for name in names if name != ".git" and not checkout.ignores((*here, name), False))
        yield from ("/".join((*here, name)) for name in files)


def _git(top: str, *arguments: str) -> list[str]:
    """What git answers, cut at each NUL. Raises `ValueError`."""
    import subprocess

    program = _program("git", top)
    if program is None:
        raise ValueError("--changed-only needs git, which is not installed")
    options = [word for name, value in _OPTIONS.items() for word in ("-c", f"{name}={value}")]
    command = [program, "-C", top, "--no-pager", *options, *arguments]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env={**os.environ, **_ENVIRONMENT},
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"--changed-only: git did not answer within {SECONDS} s") from error
    except OSError as error:
        raise ValueError("--changed-only needs git, which cannot be run") from error
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise ValueError(f"--changed-only: git failed: {reason[0] if reason else 'no reason given'}")
    return os.fsdecode(done.stdout).split("\0")


def _program(name: str, top: str) -> str | None:
    """A program from PATH, but not from the checkout, nor from the working directory, where Windows looks too."""
    import shutil

    inside = os.path.join(os.path.realpath(top), "")
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.path.isabs(folder) and not os.path.join(os.path.realpath(folder), "").startswith(inside):
            found = shutil.which(name, path=folder)
            if found and os.path.dirname(os.path.abspath(found)) == os.path.normpath(folder):
                return found
    return None
