"""Writes what Python code this process runs to stderr, now and then: what is read of a run that does not end in time.

It needs no lock of the interpreter, which C++ code may hold. Python 2.7 (which has no such thing) and 3, the standard
library alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP010
# mypy: allow-untyped-defs
from __future__ import absolute_import, division

LOOKS, LEAST = 16, 0.2


def watch(seconds):
    """In even parts of the time that the process has; 0 for never."""
    try:
        import faulthandler
    except ImportError:
        return
    if seconds:
        faulthandler.dump_traceback_later(max(LEAST, seconds / LOOKS), repeat=True)
