"""Paths that lead to no file of a user, but to devices or to what describes the running system."""

from __future__ import annotations

import os
from typing import IO

_SPECIAL = ("/proc", "/sys", "/dev")
_INSIDE = tuple(os.path.join(folder, "") for folder in _SPECIAL)
_MEMORY = "/dev/shm"  # ordinary files, in memory


def is_special(path: str) -> bool:
    """Whether a path leads to a device, or to files that describe the running system."""
    return shows_system(os.path.realpath(path))


def shows_system(real: str) -> bool:
    """The same of a path without links."""
    return (real in _SPECIAL or real.startswith(_INSIDE)) and not is_below(real, _MEMORY)


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or is inside it; both without links."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def stream_of(descriptor: int) -> IO[bytes]:
    """What is open under a number, as a stream to read. Raises `OSError` for a folder, and closes it then."""
    try:
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise
