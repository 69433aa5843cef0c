"""Runs an engine as a child and collects its events, whatever it does: prints, hangs, aborts, is killed."""

from __future__ import annotations

import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, Protocol

from caffelint.smoke.caffe.log import Log, ending
from caffelint.smoke.events import Crashed, Done, Event, Iteration, OutOfMemory, Refused, Waiting, from_line
from caffelint.smoke.job import Job
from caffelint.smoke.keeper import GRACE
from caffelint.smoke.kept import Kept
from caffelint.smoke.usage import Still, cpu_share
from caffelint.text.signals import held

_LONGEST_LINE = 1 << 20
_CHUNK = 1 << 17
_PATIENCE = 0.3
_STILL = 60.0
"""Seconds of waiting before the first iteration that end a run: what waits so long waits forever."""


class More(Protocol):
    """Other jobs for a child that has done the first."""

    def wanted(self, events: Sequence[Event]) -> float:
        """Tell the child what else to run; how many seconds it has for that. events: of the first job."""

    def take(self, event: Event) -> bool:
        """An event of these. Is it enough?"""


class _Enough(Exception):
    """The child need not go on."""


def run_child(
    command: Sequence[str],
    job: Job,
    job_path: str,
    on_event: Callable[[Event], None] | None = None,
    more: More | None = None,
    before: Sequence[Event] = (),
) -> list[Event]:
    """Start `command` with the job's path after it, in the working directory. Raises OSError where it cannot start.

    Returns all events. The last says how it ended: one that the engine emitted, or TimedOut, Refused, OutOfMemory,
    PythonLayer or Crashed, found out from how it ended. The child and all that it started are ended on every way out.
    more: what to do with a child that waits for other jobs; their events are not among those returned. before: events
    of another child, which did the first job.
    """
    log_all = {"GLOG_logtostderr": "1", "GLOG_minloglevel": "0", "PYTHONUNBUFFERED": "1"}
    events: list[Event] = []
    log = Log()
    started = time.monotonic()
    late, cpu = 0.0, -1.0
    child = None
    status: int | None = None
    waited: list[Event] = []
    deadline = [started + job.timeout] if job.timeout else []
    still: Still | None = None

    def take(line: bytes) -> None:
        nonlocal still
        event = from_line(line)
        if isinstance(event, Iteration):
            still = None
        if event is not None and still is not None:
            still.moved()
        if event is None:
            log.block(line)
            return
        if more and isinstance(event, Waiting):
            deadline[:] = [time.monotonic() + more.wanted([*before, *events])]
            waited.append(event)
        elif more and waited:
            if more.take(event):
                raise _Enough
        else:
            events.append(event)
            if on_event:
                on_event(event)

    try:
        with held():
            child = Kept([*command, job_path], job.checked, **log_all)
            reader = threading.Thread(target=log.read, args=(child.process.stderr,), daemon=True)
            reader.start()
        if job.device == "cpu":  # while a GPU computes, the process may wait for it
            still = Still(child.process.pid, _STILL)
        status = _follow(child.process, take, deadline, lambda: still is not None and still.waits())
        if status is None and not waited:
            late = time.monotonic() - started
            cpu = cpu_share(child.process.pid)
    except _Enough:
        pass
    finally:
        if child is not None:
            with held():
                child.end()
                reader.join(GRACE)
    reported = any(isinstance(event, Done | Crashed | Refused | OutOfMemory) for event in events)
    if not reported:
        assert child is not None
        events.append(ending(child.process.returncode if status is None else status, log, events, late, job, cpu))
        if on_event:
            on_event(events[-1])
    return events


def _comes(stream: IO[bytes]) -> bool:
    """Is there something to read, or its end? Unlike select(2), for files of any number."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(stream, selectors.EVENT_READ)
        return bool(waiting.select(_PATIENCE))


def _follow(
    child: subprocess.Popen[bytes], take: Callable[[bytes], None], deadline: list[float], waits: Callable[[], bool]
) -> int | None:
    """Hand on the lines of a child's stdout until it ends; its status, or None if it still runs at the deadline, or
    waits for nothing that comes.

    deadline: of time.monotonic, empty for none; it may move meanwhile. What the child started may hold its stdout open
    for longer than it lives.
    """
    assert child.stdout
    rest = b""
    while not deadline or time.monotonic() < deadline[0]:
        if _comes(child.stdout):
            chunk = os.read(child.stdout.fileno(), _CHUNK)
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > _LONGEST_LINE:
                lines, rest = [*lines, rest], b""
            for line in lines:
                take(line)
        elif child.poll() is not None:
            break
        elif waits():
            return None
    if rest:
        take(rest)
    try:
        return child.wait(max(0.0, deadline[0] - time.monotonic()) if deadline else None)
    except subprocess.TimeoutExpired:
        return None
