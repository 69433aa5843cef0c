"""Writing files so that at any moment the old or the new text is there, whole."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING

from caffelint.text.signals import held

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class _Group:
    """What is written together. files: those that are new, as the system knows them, since another process may replace
    one: all that each was and is to become, as whatever ends the writing may come before or after the replacement.
    is_made: has a file that was there before been replaced? Then what it belongs with has to stay.
    """

    def __init__(self) -> None:
        self.files: dict[Path, set[tuple[int, int]]] = {}
        self.is_made = False


_GROUP: ContextVar[_Group | None] = ContextVar("_GROUP", default=None)


class ChangedOnDisk(OSError):
    """A file no longer holds what was read from it."""


def write_atomically(
    path: Path, data: bytes | IO[bytes], expected: bytes | None = None, *, follow: bool = True
) -> None:
    """Replace a file's content; its mode is kept, its owner and extended attributes where we may.

    A link still points to it. `expected` is what the file has to hold at the last moment before; None for anything, or
    no file at all. Other names of the file (hard links) keep the old content. `follow`: whether a link may lead to it.
    Raises `ChangedOnDisk`, `OSError`.
    """
    target = path.resolve() if follow else path.parent.resolve() / path.name
    try:
        before = target.lstat()
    except FileNotFoundError:
        before = None
    if before and stat.S_ISLNK(before.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    # Its name is known before it is there: an interruption just after it was made leaves nothing.
    temporary = target.parent / f".caffelint.{os.urandom(8).hex()}"
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o600), "wb") as stream:
            _copy(data, stream)
            stream.flush()
            os.fsync(stream.fileno())
            _note(target, before, os.fstat(stream.fileno()))
        if before is not None:
            _keep_owner(temporary, before)
        os.chmod(temporary, stat.S_IMODE(before.st_mode) if before else 0o666 & ~_umask())
        if before is not None:
            _keep_attributes(temporary, target)
        if expected is not None and _content(target) != expected:
            raise ChangedOnDisk("changed on disk since it was read")
        with held():
            os.replace(temporary, target)
            if (group := _GROUP.get()) is not None and before is not None and target not in group.files:
                group.is_made = True
    except BaseException as error:
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = str(path)
        with suppress(FileNotFoundError):  # where the signal that ends us came just after the replacement
            os.unlink(temporary)
        raise


@contextmanager
def all_or_none() -> Iterator[list[Path]]:
    """If the rest of the work fails, take away files that `write_atomically` made, and empty folders of the list.

    Not once it has replaced a file that was there: that is to be the last one.
    """
    folders: list[Path] = []
    group = _Group()
    token = _GROUP.set(group)
    try:
        yield folders
    except BaseException:
        for path, made in group.files.items() if not group.is_made else ():
            with suppress(OSError):
                if _identity(path.lstat()) in made:
                    path.unlink()
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        raise
    finally:
        _GROUP.reset(token)


def temporary_folder(prefix: str = "caffelint-") -> TemporaryDirectory[str]:
    """A folder that is taken away, whatever signal comes while it is made."""
    from tempfile import TemporaryDirectory

    with held():
        return TemporaryDirectory(prefix=prefix)


@contextmanager
def in_turn(path: Path) -> Iterator[None]:
    """Only one process at a time reads a file of ours and writes it anew; the next one waits. Raises `OSError`."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def write_report(path: Path, data: bytes | IO[bytes]) -> None:
    """Replace a report in one step, through no link; a pipe, a device or what is in /dev is written to, and stays."""
    is_pipe = os.path.lexists(path) and stat.S_ISFIFO(path.lstat().st_mode)
    if is_pipe:
        with open(path, "wb", opener=_with_reader) as out:
            _copy(data, out)
    elif is_device(path):
        with open(path, "wb") as out:
            _copy(data, out)
    else:
        write_atomically(path, data, follow=False)


def is_device(path: str | os.PathLike[str]) -> bool:
    """Is it a device, wherever it is, or right in /dev? Below that, as in /dev/shm, are ordinary files."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        mode = 0
    folder = os.path.dirname(os.path.abspath(path))
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or folder == os.path.realpath(folder) == "/dev"


def _copy(data: bytes | IO[bytes], out: IO[bytes]) -> None:
    if isinstance(data, bytes):
        out.write(data)
    else:
        from shutil import copyfileobj

        copyfileobj(data, out, 1 << 20)


def _with_reader(path: str, flags: int) -> int:
    """A pipe to write to; without a reader there may never be one."""
    try:
        file = os.open(path, flags | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "this is a pipe that nothing reads") from error
        raise
    os.set_blocking(file, True)
    return file


def _note(target: Path, before: os.stat_result | None, new: os.stat_result) -> None:
    """Remember a file that is made anew, also where it is replaced once more."""
    group = _GROUP.get()
    if group is not None and (before is None or _identity(before) in group.files.get(target, ())):
        group.files.setdefault(target, set()).add(_identity(new))


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


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


def _keep_attributes(path: Path, before: Path) -> None:
    """Extended attributes, of which access control lists are some, as far as the system lets us."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(before):
            with suppress(OSError):
                os.setxattr(path, name, os.getxattr(before, name))


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
