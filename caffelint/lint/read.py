"""Reads the files that a run looks at."""

from __future__ import annotations

import os
import stat

_LARGEST = 256 << 20


class ReadError(Exception):
    """Why a file was not read: one line."""


def read(path: str) -> bytes:
    """A file's bytes. Raises `ReadError`, also for what is no file: a pipe would be waited for, a device has no end."""
    try:
        state = os.stat(path)
        if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
            raise ReadError("is a pipe or a device and was not read; give its content on stdin: caffelint check -")
        if state.st_size > _LARGEST:
            raise ReadError(f"the file is larger than {_LARGEST >> 20} MiB and was not read")
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise ReadError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
