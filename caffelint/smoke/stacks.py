"""Writes what Python code this process runs to stderr where nothing moves: what is read of a run that does not end.

To look at code that runs may crash the process, so nobody looks as long as there are events. It needs no lock of the
interpreter, which C++ code may hold. Python 2.7 (which has no such thing) and 3, the standard library alone. One file
by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP010
# mypy: allow-untyped-defs
from __future__ import absolute_import, division

import time

LOOKS, LEAST, MOST = 16, 0.2, 15.0
_EVERY, _SINCE = [0.0], [0.0]


def watch(seconds):
    """In even parts of the time that the process has, some before a run that waits is ended; 0 for never."""
    if seconds:
        _EVERY[0] = min(MOST, max(LEAST, seconds / LOOKS))
        moved()  # type: ignore[no-untyped-call]


def moved():
    """Something was done, so the time begins anew."""
    if not _EVERY[0] or time.time() - _SINCE[0] < _EVERY[0] / 4:
        return
    try:
        import faulthandler
    except ImportError:
        return
    _SINCE[0] = time.time()
    faulthandler.dump_traceback_later(_EVERY[0], repeat=True)
