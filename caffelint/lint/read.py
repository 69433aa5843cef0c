"""Reads the files that a run looks at."""

from __future__ import annotations

import os
import stat

_LARGEST = 256 << 20


class ReadError(Exception):
    """Why a file was not read: one line."""


def read(path: str, largest: int | None = None) -> bytes:
    """A file's bytes, at most `largest`. Raises `ReadError`, also for a pipe or a device, which would have no end."""
    largest = _LARGEST if largest is None else largest
    try:
        state = os.stat(path)
        if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
            raise ReadError("is a pipe or a device and was not read; give its content on stdin: caffelint check -")
        with open(path, "rb") as stream:
            data = b"" if state.st_size > largest else stream.read(largest + 1)
        if max(len(data), state.st_size) > largest:
            raise ReadError(f"the file is larger than {_size(largest)} and was not read")
        return data
    except OSError as error:
        raise ReadError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error


def _size(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
