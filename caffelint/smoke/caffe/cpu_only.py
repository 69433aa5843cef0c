"""Is the Caffe of this process built CPU_ONLY?

Python 2.7 and 3. One file by itself: it is copied beside the runner.
"""

# ruff: noqa: C401, UP010, UP020, UP024
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import

import io
import mmap

_SAYS = b"CPU-only Caffe"
"""What it would say if a GPU were asked for (device_alternate.hpp, NO_GPU); other builds do not hold it."""


def cpu_only():
    """False if it is not known, as on systems other than Linux."""
    try:
        with io.open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            paths = sorted(set(line.split(None, 5)[-1].strip() for line in maps if "caffe" in line))
        return any(_holds(path) for path in paths if ".so" in path)
    except (IOError, OSError, ValueError):
        return False


def _holds(path):
    with io.open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            return mapped.find(_SAYS) >= 0
        finally:
            mapped.close()
