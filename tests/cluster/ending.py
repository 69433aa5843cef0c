"""Work that ends its process, in a module that workers can import."""

from __future__ import annotations

import os
import signal


def ends_once(job: tuple[int, str]) -> int:
    """The number; where there is a file to make, the process that makes it ends there."""
    number, file = job
    if file:
        try:
            os.close(os.open(file, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return number
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def ends_always(job: int) -> int:
    if job == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def imported(job: str) -> bool:
    """Whether a module is in this process."""
    import sys

    return job in sys.modules
