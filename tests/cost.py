"""What something costs, asked so that the answer is the same on a machine that is slow or busy with others.

Count calls where Python does the work (`bench_curves.calls`). Where one call may look through a whole text, as those of
regular expressions do, `follows` compares two sizes with a wide margin, and `soon` ends what has no end. No test asks
whether something takes a second: that is measured with `make bench`.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import bench_curves
import pytest

_T = TypeVar("_T")
ENOUGH = 60
"""Seconds of CPU time, for what takes one or two, and many minutes if it grows with the square or has no end."""
TRIES = 3


@contextmanager
def soon(seconds: float = ENOUGH) -> Iterator[None]:
    """Fails once that much CPU time has gone: a guard against what hangs, at least ten times of what it takes."""

    def end(*_: object) -> None:
        pytest.fail(f"took more than {seconds} s of CPU time")  # no `Exception`: caffelint itself catches those

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def follows(work: Callable[[_T], object], small: _T, large: _T, *, times: int = 16, most: int = 4) -> bool:
    """Does CPU time follow a size that is `times` as large, or take less than `most` times what is due to it?

    What grows with the square takes `times` times what is due. Others on the machine make a measure larger, never
    smaller: it is taken again before the answer is no.
    """
    least = {False: float("inf"), True: float("inf")}
    for _ in range(TRIES):
        for is_large, given in ((False, small), (True, large)):
            least[is_large] = min(least[is_large], bench_curves.cpu_seconds(lambda: work(given)))  # noqa: B023
        if least[True] < most * times * least[False]:
            return True
    return False
