"""The bytes of a log: from a file, one that is packed with gzip, or stdin, a piece at a time."""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import IO, Any

from caffelint.evidence.log.reader import Heard, Reader
from caffelint.evidence.log.values import TrainingLog
from caffelint.lint.file import load
from caffelint.lint.read import ReadError, beginning, opened, read_found

STDIN = "-"
ENDED = "ended"
_CHUNK = 1 << 20
_HEAD = 256
_LOOKED_AT, _SOLVERS, _SOLVER = 1000, 20, 20_000
"""Names in a folder, and prototxt files of so few bytes, among which solvers are looked for."""
_GZIP = b"\x1f\x8b"
_MOST_TIMES, _LEAST_UNPACKED = 50, 8 << 20
"""By how much a log may be packed; those of real trainings are by 12. One that is small anyway may be by more."""


def read(path: str, heard: Heard | None = None) -> TrainingLog:
    """A log from its beginning to its end. Raises `ReadError`, also where nothing in it is of Caffe."""
    reader = Reader(path, heard)
    for chunk in chunks(path):
        reader.feed(chunk)
    return known(reader.end())


def known(log: TrainingLog) -> TrainingLog:
    """The log, if anything in it is of Caffe. Raises `ReadError`."""
    runs = (run.series or run.texts or run.ended or run.passes or run.layers or run.ignored for run in log.runs)
    if not any(runs):
        what = "is empty" if not log.size else "holds nothing that Caffe prints"
        raise ReadError(f"{what}: no loss, no net, no failed check; is it the log of `caffe train`?")
    return log


def solvers_beside(path: str) -> list[str]:
    """The solvers in the folder of a log: any of them may be the one that ran. Links are not followed."""
    folder = os.path.dirname(path)
    found: list[str] = []
    try:
        with os.scandir(folder or ".") as entries:
            texts = [one for one in islice(entries, _LOOKED_AT) if one.name.endswith(".prototxt")]
        small = [one.name for one in texts if one.is_file(follow_symlinks=False) and one.stat().st_size < _SOLVER]
        for name in sorted(small)[:_SOLVERS]:
            other = os.path.join(folder, name)
            if load(read_found(other, _SOLVER), other).solver is not None:
                found.append(other)
    except (OSError, ReadError):
        return found
    return found


def chunks(path: str, more: Callable[[], bool] | None = None) -> Iterator[bytes]:
    """The bytes of a file, "-" for stdin. more: asked at the end of it, whether to look for more; else that is all.

    Raises `ReadError`.
    """
    try:
        with _opened(path) as stream:
            yield from _pieces(stream, more)
    except (OSError, ValueError, zlib.error) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise ReadError(f"cannot be read: {reason}") from error


class Growth:
    """Whether a file, "-" for stdin, may still grow; made before it is read."""

    def __init__(self, path: str):
        self._path = path
        self._first = self._found()
        self._size = 0
        self._head = b""

    def over(self) -> str:
        """Why nothing more can come, asked at the end of what is there; empty while it can."""
        found = self._found()
        if found is None or self._first is None or not os.path.samestat(found, self._first):
            return "was moved, removed or replaced"
        if not stat.S_ISREG(found.st_mode):
            return ENDED
        if found.st_size < self._size:
            return "has become shorter"
        self._size = found.st_size
        head = b"" if self._path == STDIN else beginning(self._path, _HEAD)
        if not head.startswith(self._head):
            return "was written anew"
        self._head = head
        return ""

    def _found(self) -> os.stat_result | None:
        try:
            return os.fstat(sys.stdin.fileno()) if self._path == STDIN else os.stat(self._path)
        except (OSError, ValueError, AttributeError):
            return None


def _opened(path: str) -> IO[bytes]:
    if path == STDIN:
        if sys.stdin is None:
            raise ReadError("stdin is closed")
        own = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
        if own.peek(2)[:2] == _GZIP:
            raise ReadError("is packed with gzip; give the file, or pipe it through zcat")
        return own
    if os.path.isdir(path):
        raise ReadError("is a folder; give the file")
    stream = opened(path)
    packed = stream.read(2) == _GZIP
    stream.seek(0)
    if not packed:
        return stream
    unpacked: Any = _Unpacked(fileobj=stream)
    found: IO[bytes] = unpacked
    return found


class _Unpacked(gzip.GzipFile):
    """A packed log, unless it unpacks to far more than a log does; raises `ReadError` then."""

    def read(self, size: int | None = -1) -> bytes:
        self._hold()
        return super().read(size)

    def read1(self, size: int = -1) -> bytes:
        self._hold()
        return super().read1(size)

    def _hold(self) -> None:
        packed = os.fstat(self.fileno()).st_size
        if self.tell() > max(_LEAST_UNPACKED, _MOST_TIMES * packed):
            raise ReadError(f"unpacks to more than {_MOST_TIMES} times its size and was not read; unpack it first")


def _pieces(stream: IO[bytes], more: Callable[[], bool] | None) -> Iterator[bytes]:
    read1: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    packed = isinstance(stream, _Unpacked)
    while True:
        try:
            piece = read1(_CHUNK) if packed or more is not None else stream.read(_CHUNK)
        except EOFError:  # it was cut, or is still being written: what is there is read
            piece = b""
        if piece:
            yield piece
        elif more is None or not more():
            return
