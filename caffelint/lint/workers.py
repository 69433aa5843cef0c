"""Processes that share the work."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

    from caffelint.lint.report import Failure

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")

METHOD = "fork" if os.name == "posix" else "spawn"
_SAFE = "PYTHONSAFEPATH"


class WorkerEnded(Exception):
    """A process ended before its work did, as when the system kills it; `done`: the jobs before it, with results."""

    def __init__(self, done: int):
        super().__init__(f"a process ended after {done} jobs")
        self.done = done

    def failure(self, lost: Sequence[str], verb: str) -> Failure:
        """`lost`: the files without a result, in order; `verb`: what was not done to them, as in "checked"."""
        from caffelint.lint.report import Failure

        reason = f"this file or one after it ended a process, perhaps for lack of memory: {len(lost)} files were not"
        return Failure(lost[0], f"{reason} {verb}; try --jobs 1", True)


def can_share(method: str = METHOD) -> bool:
    """Whether several processes may be used: one that is spawned by Python 3.10 imports from the working directory."""
    return method == "fork" or sys.version_info >= (3, 11)


@contextmanager
def context(method: str = METHOD) -> Iterator[BaseContext]:
    """For a pool. One that is spawned starts anew, and would look in the working directory for its first import."""
    from multiprocessing import get_context

    before = os.environ.get(_SAFE)
    if method != "fork":
        os.environ[_SAFE] = "1"
    try:
        yield get_context(method)
    finally:
        if method != "fork":
            os.environ.pop(_SAFE)
            os.environ.update({} if before is None else {_SAFE: before})


def share(
    work: Callable[[_Job], _Result],
    jobs: Sequence[_Job],
    workers: int,
    *,
    chunk: int,
    start: Callable[..., None] | None = None,
    given: tuple[Any, ...] = (),
) -> Iterator[_Result]:
    """What `work` gives for each job, in their order; `start(*given)` is called first in each process.

    Raises `WorkerEnded`; a `multiprocessing.Pool` would wait forever for what a killed process had in hand.
    """
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    done = 0
    try:
        with context() as how, ProcessPoolExecutor(workers, how, _start, (start, given)) as pool:
            for result in pool.map(work, jobs, chunksize=chunk):
                yield result
                done += 1
    except BrokenProcessPool as error:
        raise WorkerEnded(done) from error


def _start(start: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    """What Ctrl-C ends is the process that hands out the work, and it ends these."""
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.freeze()
    if start:
        start(*given)
