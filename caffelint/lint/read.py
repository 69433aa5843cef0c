"""Reads the files that a run looks at."""

from __future__ import annotations

import os
import stat
from typing import IO

from caffelint.lint.reach import OUTSIDE, Reach, real_path, shows_system
from caffelint.text.patterns import compiled_later
from caffelint.text.special import stream_of

_LARGEST = 256 << 20
MOST_LAYERS = 50_000
"""Some ten times as many as the deepest nets have; each takes a few kilobytes while a net is checked."""
_LAYER = compiled_later(rb"\blayers?[ \t\r\n]*(?::[ \t\r\n]*)?\{")
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_OPEN_FILES = "/proc/self/fd"
"""Links to the files that this process has open, in Linux."""
_FOUND = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class ReadError(Exception):
    """Why a file was not read: one line."""


def read(path: str, largest: int | None = None, reach: Reach | None = None) -> bytes:
    """A file's bytes, at most `largest`.

    `reach` is where it may lie, if it was not the user who named it. Raises `ReadError`, also for a pipe, a device and
    what shows the running system, some of which has no end.
    """
    largest = _LARGEST if largest is None else largest
    try:
        size = _size_of(path, reach)
        with _opened(path, reach) as stream:
            data = b"" if size > largest else _first(stream, largest + 1, size)
    except OSError as error:
        raise ReadError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    except ValueError as error:  # a NUL in the name
        raise ReadError("cannot be read: no file has such a name") from error
    if max(len(data), size) > largest:
        raise ReadError(f"the file is larger than {_size(largest)} and was not read")
    return data


def read_prototxt(path: str) -> bytes:
    """The bytes of a net or solver that is to be checked. Raises `ReadError`, also for more layers than any net has."""
    data = read(path)
    if data.count(b"layer") > MOST_LAYERS and (number := len(_LAYER.findall(data))) > MOST_LAYERS:
        raise ReadError(f"the file has {number:,} layers, and was not checked; a net may have {MOST_LAYERS:,}")
    return data


def read_stream(stream: IO[bytes]) -> bytes:
    """All that comes from stdin, which may be no more than of a file. Raises `ReadError` and `OSError`."""
    data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ReadError(f"holds more than {_size(_LARGEST)} and was not read")
    return data


def read_found(path: str, largest: int, own: bool = False) -> bytes:
    """The bytes of a file that `walk` has found: quicker than `read`, since no link, pipe or device is opened at all.

    Raises `ReadError`, also for a file that is larger than `largest`, and with `own` for one of another user.
    """
    try:
        descriptor = os.open(path, _FOUND)
        with stream_of(descriptor) as stream:
            state = os.fstat(descriptor)
            fits = stat.S_ISREG(state.st_mode) and not (own and hasattr(os, "getuid") and state.st_uid != os.getuid())
            data = _first(stream, largest + 1, state.st_size) if fits else b""
    except (OSError, ValueError) as error:
        raise ReadError(f"cannot be read: {error}") from error
    if not fits or len(data) > largest:
        raise ReadError("is larger than it may be, or no file, or not your own")
    return data


def _first(stream: IO[bytes], most: int, size: int) -> bytes:
    """At most so many bytes of a file of about that size: to make room for `most` takes longer than to read a net."""
    data = stream.read(min(most, size + 1))
    return data + stream.read(most - len(data)) if len(data) > size else data  # it has grown


def opened(path: str) -> IO[bytes]:
    """A file that `read` reads, for more than fits into memory. Raises `ReadError`, `OSError` and `ValueError`."""
    _size_of(path, None)
    return _opened(path, None)


def beginning(path: str, size: int, reach: Reach | None = None) -> bytes:
    """The first bytes of a file, empty where `read` would refuse it whatever its size."""
    try:
        _size_of(path, reach)
        with _opened(path, reach) as stream:
            return stream.read(size)
    except (OSError, ReadError, ValueError):
        return b""


def _opened(path: str, reach: Reach | None) -> IO[bytes]:
    """A file that may be read, looked at again once it is open: another one may have taken its name meanwhile."""
    stream = stream_of(os.open(path, os.O_RDONLY | _WITHOUT_WAITING))
    try:
        state = os.fstat(stream.fileno())
        try:
            real = os.readlink(f"{_OPEN_FILES}/{stream.fileno()}")
        except OSError:
            real = os.path.realpath(path)
        if not stat.S_ISREG(state.st_mode) or not (reach.holds(real) if reach else not shows_system(real)):
            raise ReadError("changed while it was opened, and was not read")
    except BaseException:
        stream.close()
        raise
    return stream


def _size_of(path: str, reach: Reach | None) -> int:
    """The size of what may be read. Raises `ReadError` and `OSError`."""
    if reach is not None and not reach.holds(path):
        raise ReadError(OUTSIDE)
    state = os.stat(path)
    if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
        raise ReadError("is a pipe or a device and was not read")
    if reach is None and shows_system(real_path(path)):
        raise ReadError("shows the running system and was not read")
    return state.st_size


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
