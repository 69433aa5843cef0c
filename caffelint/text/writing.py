"""Writing files so that at any moment the old or the new text is there, whole."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class ChangedOnDisk(OSError):
    """A file no longer holds what was read from it."""


def write_atomically(path: Path, data: bytes, expected: bytes | None = None) -> None:
    """Replace a file's content; its mode is kept, its owner where we may, and a link still points to it.

    `expected` is what the file has to hold at the last moment before; None for anything, or no file at all. Other
    names of the file (hard links) keep the old content. Raises `ChangedOnDisk`, `OSError`.
    """
    target = path.resolve()
    try:
        before = target.stat()
    except FileNotFoundError:
        before = None
    # Its name is known before it is there: an interruption just after it was made leaves nothing.
    temporary = target.parent / f".caffelint.{secrets.token_hex(8)}"
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o600), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if before is not None:
            _keep_owner(temporary, before)
        os.chmod(temporary, stat.S_IMODE(before.st_mode) if before else 0o666 & ~_umask())
        if expected is not None and _content(target) != expected:
            raise ChangedOnDisk("changed on disk since it was read")
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):  # where the signal that ends us came just after the replacement
            os.unlink(temporary)
        raise


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _keep_owner(path: Path, before: os.stat_result) -> None:
    if not hasattr(os, "chown"):
        return
    with suppress(PermissionError):
        os.chown(path, -1, before.st_gid)
        os.chown(path, before.st_uid, -1)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
