"""Processes on other machines that share the work: what `caffelint.lint.workers` is for one machine, over Dask."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from caffelint import __version__
from caffelint.lint.read import ReadError, read
from caffelint.lint.workers import can_share, context

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")

_SECONDS = 60
"""To reach the scheduler, and until there is a first worker; slurm may let us wait as long as it likes."""
_AHEAD = 1024
"""Chunks that are handed out before the first of them is back: a million files take no more memory than these."""
_RETRIES = 2
_LARGEST = 1 << 20
"""Bytes of the file that a scheduler writes."""
_MOST_LOCAL = 1_024
_STARTED = {
    "distributed.scheduler.no-workers-timeout": _SECONDS,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "1s",
}
"""For the processes that we start: how long work waits where none is left (Dask gives up one that fails to start again,
and by default waits for ever), and how often they look at themselves (by default, that costs more than the rest)."""


class NoCluster(Exception):
    """Why the work cannot be done there: one line."""


class _Share(NamedTuple):
    """What each process is told of the work; `token` tells one piece of work from the next."""

    token: str
    version: str
    folder: str
    work: Callable[[Any], Any]
    start: Callable[..., None] | None
    given: tuple[Any, ...]


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the cluster at `address`.

    That is tcp:// or tls:// of a scheduler, the file that a scheduler wrote, or local:N or slurm:N for N processes or
    jobs that are started now and ended after.

    Raises `NoCluster`, and `ModuleNotFoundError` where Dask is not installed.
    """
    import dask.config
    import distributed

    kind, _, number = address.partition(":")
    count = int(number) if number.isdecimal() else 0
    if "://" not in address and not os.path.isfile(address) and not (kind in ("local", "slurm") and count):
        raise NoCluster(
            f'"{address}" is not a cluster; give tcp://HOST:PORT of a Dask scheduler, the JSON file that it wrote,'
            " local:N or slurm:N"
        )
    if kind == "local" and count > _MOST_LOCAL:
        raise NoCluster(f"local:{number} starts more than {_MOST_LOCAL:,} processes; give the number of cores")
    where: dict[str, Any] = {"address": _written(address) if os.path.isfile(address) else address}
    with ExitStack() as ending:
        if kind == "local" and count:
            if not can_share("spawn"):
                raise NoCluster("local:N needs Python 3.11 or newer; start a scheduler and workers, or use --jobs")
            ending.enter_context(context("spawn"))  # to the end, for the processes that are started as others end, too
            with dask.config.set(_STARTED):
                started = distributed.LocalCluster(
                    n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.ERROR
                )
            where = {"address": ending.enter_context(started)}
        elif kind == "slurm" and count:
            from dask_jobqueue import SLURMCluster

            where = {"address": ending.enter_context(SLURMCluster())}
            where["address"].scale(jobs=count)
        try:
            with distributed.Client(**where, timeout=_SECONDS, set_as_default=False) as client:
                client.wait_for_workers(1, timeout=None if kind == "slurm" else _SECONDS)
                # What is asked is of Python itself: a worker without caffelint cannot read a question of ours.
                for worker, found in client.run(version, "caffelint", on_error="return").items():
                    if found != __version__:
                        has = f"has caffelint {found}" if isinstance(found, str) else "has no caffelint"
                        raise NoCluster(f"worker {worker} {has}, and this is {__version__}")
                yield client
        except (OSError, TimeoutError, ValueError) as error:
            said = " ".join(str(error).split())
            raise NoCluster(f"{address}: {said[:1].lower()}{said[1:]}") from error


def _written(path: str) -> str:
    """The address in the file that a scheduler wrote: Dask itself would read any file, and again until it holds one."""
    try:
        found = json.loads(read(path, _LARGEST))
    except ReadError as error:
        raise NoCluster(f"{path}: {error}") from error
    except (ValueError, RecursionError):
        raise NoCluster(f"{path}: is not what a scheduler writes") from None
    if not isinstance(found, dict) or not isinstance(found.get("address"), str):
        raise NoCluster(f"{path}: holds no address of a scheduler")
    return str(found["address"])


def share(
    client: Any,
    work: Callable[[_Job], _Result],
    jobs: Sequence[_Job],
    lost: Callable[[_Job], _Result],
    *,
    chunk: int,
    start: Callable[..., None] | None = None,
    given: tuple[Any, ...] = (),
) -> Iterator[_Result]:
    """What `work` gives for each job, in their order; `start(*given)` is called first in each process.

    What a process had in hand when it ended is done by another one. A job that ended several is done alone, and if it
    still ends them, its result is that of `lost`. Raises `NoCluster`.
    """
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.scheduler import NoWorkerError

    told = _Share(uuid4().hex, __version__, os.getcwd(), work, start, given)

    def submitted(some: Sequence[_Job]) -> Any:
        return client.submit(_work, told, some, pure=False, retries=_RETRIES)

    def result(future: Any) -> Any:
        try:
            return future.result()
        except NoWorkerError as error:
            raise NoCluster(f"no worker is left, and none has come for {error.timeout:g} seconds") from error
        except FutureCancelledError as error:
            raise NoCluster(f"the scheduler at {client.scheduler.addr} went away") from error

    chunks = [jobs[first : first + chunk] for first in range(0, len(jobs), chunk)]
    ahead: deque[Any] = deque()
    handed = 0
    for some in chunks:
        while handed < len(chunks) and len(ahead) < _AHEAD:
            ahead.append(submitted(chunks[handed]))
            handed += 1
        try:
            yield from result(ahead.popleft())
        except KilledWorker:
            for job in some:
                try:
                    yield from result(submitted([job]))
                except KilledWorker:
                    yield lost(job)


_one_at_a_time = threading.Lock()
_token = ""


def _work(told: _Share, jobs: Sequence[Any]) -> list[Any]:
    """In a worker: one chunk at a time, however many threads it has, in the folder where the paths begin."""
    global _token
    with _one_at_a_time:
        if told.version != __version__:  # one that joined later
            raise NoCluster(f"a worker has caffelint {__version__}, and this is {told.version}")
        sys.path[:] = filter(None, sys.path)  # the working directory, which may be a stranger's
        try:
            os.chdir(told.folder)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise NoCluster(f"a worker does not see the folder {told.folder}: {reason}") from error
        if _token != told.token:
            if told.start:
                told.start(*told.given)
            _token = told.token
        return [told.work(job) for job in jobs]
