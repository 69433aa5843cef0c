"""Runs an engine as a child and collects its events, whatever it does: prints, hangs, aborts, is killed."""

from __future__ import annotations

import os
import re
import select
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO, NamedTuple

from caffelint.smoke.events import (
    Crashed,
    Done,
    Event,
    Loaded,
    OutOfMemory,
    PythonLayer,
    Refused,
    TimedOut,
    from_line,
)
from caffelint.smoke.job import Job
from caffelint.smoke.keeper import GRACE
from caffelint.smoke.kept import Kept
from caffelint.smoke.signals import held

_TAIL_LINES = 60
_LONGEST_LINE = 1 << 20
_CHUNK = 1 << 17
_KEPT = 4000
_PATIENCE = 0.3
_FATAL = re.compile(r"^F\d{4,8} [\d:.]+ +\d+ (?P<at>\S+)\] ?(?P<message>.*)")
_CREATING = re.compile(r"\] (?:Creating layer|Setting up) (?P<layer>.+)")
_PARSING = re.compile(r"Error parsing text-format \S+: (?P<what>\d+:\d+: .+)")
_PHASE = re.compile(r"Creating (?P<phase>training|test) net")
_NO_LAYER = ("solver.cpp", "sgd_solver.cpp", "solver_factory", "upgrade_proto.cpp")
"""Files of Caffe whose checks are of the solver, whatever layer was made last."""
_NAMED = re.compile(r"(?<!owned by )layer '(?P<layer>[^']+)'")
_MEMORY = re.compile(
    r"out of memory|std::bad_alloc|Cannot allocate memory|MemoryError|unable to allocate", re.IGNORECASE
)
_MATTERS = [b"\nf", b"] creating", b"] setting up", b"error parsing", b"traceback"]
_MATTERS += [b"out of memory", b"bad_alloc", b"cannot allocate", b"memoryerror", b"unable to allocate"]
"""A block of lines in which, in small letters, none of these stands holds nothing that `Log.line` looks for."""
_SIGBUS, _SIGKILL = 7, 9


class Log:
    """What matters of a child's stderr: the end of it, the first FATAL of glog, the layer that was being made."""

    def __init__(self) -> None:
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self.fatal = ""
        self.layer = ""
        self.parsing = ""
        self.tests = -1
        self.trace: list[str] = []
        self.more = 0
        self.out_of_memory = ""

    def read(self, stream: IO[bytes]) -> None:
        """All that comes, however much: of blocks in which nothing matters only the end is looked at."""
        rest = b""
        while chunk := stream.read1(_CHUNK):  # type: ignore[attr-defined]
            block = rest + chunk
            cut = block.rfind(b"\n") + 1 or (len(block) if len(block) > _LONGEST_LINE else 0)
            rest = block[cut:]
            self.block(block[:cut])
        self.block(rest)

    def block(self, block: bytes) -> None:
        lines = block.removesuffix(b"\n")
        if not block:
            return
        small = b"\n" + block.lower()
        if self.more or (self.trace and not self._traced()) or any(word in small for word in _MATTERS):
            for raw in lines.split(b"\n"):
                self.line(raw.decode("utf-8", "replace").rstrip("\r"))
        else:
            last = lines.rsplit(b"\n", _TAIL_LINES)
            self.tail.extend(raw[-_KEPT:].decode("utf-8", "replace").rstrip("\r") for raw in last[-_TAIL_LINES:])

    def line(self, line: str) -> None:
        line = line[:_KEPT]
        self.tail.append(line)
        if self.more:
            self.more -= 1
            if line and not line.startswith(("***", "    @")) and not re.match(r"^[A-Z]\d{4}", line):
                self.fatal += f" {line.strip()}"
        if found := _FATAL.match(line):
            if not self.fatal:
                if found["at"].startswith(_NO_LAYER):
                    self.layer = ""
                self.fatal = found["message"].split("*** Check failure")[0].strip()
                self.more = 0 if "*** Check" in line else 1
        elif found := _PARSING.search(line):
            self.parsing = found["what"]
        elif found := _CREATING.search(line):
            self.layer = found["layer"]
        elif found := _PHASE.search(line):
            self.tests = 0 if found["phase"] == "training" else self.tests + 1
            self.layer = ""
        elif _MEMORY.search(line):
            self.out_of_memory = self.out_of_memory or line.strip()
        if line.startswith("Traceback (most recent call last)") and not self.trace:
            self.trace = [line]
        elif self.trace and not self._traced():
            self.trace.append(line)

    def _traced(self) -> bool:
        """Is the traceback over? Its last line is the first that is not indented."""
        return len(self.trace) > 1 and not self.trace[-1].startswith(" ")


class Finished(NamedTuple):
    """What a child told, the reason for its end last."""

    events: list[Event]
    log: Log


def run_child(
    command: Sequence[str], job: Job, job_path: str, on_event: Callable[[Event], None] | None = None
) -> Finished:
    """Start `command` with the job's path after it, in the working directory. Raises OSError where it cannot start.

    The last event says how it ended: one that the engine emitted, or TimedOut, Refused, OutOfMemory, PythonLayer or
    Crashed, told from the way it went. The child and all that it started are ended on every way out of here.
    """
    log_all = {"GLOG_logtostderr": "1", "GLOG_minloglevel": "0", "PYTHONUNBUFFERED": "1"}
    events: list[Event] = []
    log = Log()
    started = time.monotonic()
    late = 0.0
    child = None

    def take(line: bytes) -> None:
        event = from_line(line)
        if event is None:
            log.block(line)
            return
        events.append(event)
        if on_event:
            on_event(event)

    try:
        with held():
            child = Kept([*command, job_path], os.path.dirname(job_path), job.checked, **log_all)
        reader = threading.Thread(target=log.read, args=(child.process.stderr,), daemon=True)
        reader.start()
        status = _follow(child.process, take, started + job.timeout if job.timeout else None)
        if status is None:
            late = time.monotonic() - started
    finally:
        if child is not None:
            with held():
                child.end()
                reader.join(GRACE)
    told = any(isinstance(event, Done | Crashed | Refused | OutOfMemory) for event in events)
    if not told:
        events.append(_reason(child.process.returncode if status is None else status, log, events, late, job))
        if on_event:
            on_event(events[-1])
    return Finished(events, log)


def _follow(child: subprocess.Popen[bytes], take: Callable[[bytes], None], deadline: float | None) -> int | None:
    """Hand on the lines of a child's stdout until it ends; its status, or None where it is still there at the deadline.

    What it started may hold its stdout open for longer than it lives.
    """
    assert child.stdout
    rest = b""
    while deadline is None or time.monotonic() < deadline:
        ready, _, _ = select.select([child.stdout], [], [], _PATIENCE)
        if ready:
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
    if rest:
        take(rest)
    try:
        return child.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None


def _reason(status: int, log: Log, events: Sequence[Event], late: float, job: Job) -> Event:
    """Why a child ended that did not say so itself."""
    if late:
        return TimedOut(round(late, 1))
    loaded = sum(isinstance(event, Loaded) for event in events)
    loading = loaded == 0
    if log.fatal:
        if _MEMORY.search(log.fatal):
            return OutOfMemory(log.fatal, job.device)
        during = "load" if loading else "run"
        if "annot copy param" in log.fatal or (not loading and "NetParameter file" in log.fatal):
            during = "weights"
        named = _NAMED.search(log.fatal)
        layer = named["layer"] if named else log.layer if loading else ""
        message = log.parsing if log.parsing and "Failed to parse" in log.fatal else log.fatal
        return Refused(max(log.tests, 0) if loading else 0, layer, message, during)
    if log.out_of_memory or status == -_SIGKILL:
        return OutOfMemory(log.out_of_memory or "the system ended it, as it does for want of memory", job.device)
    if log.trace:
        return python_layer(log, loading)
    if loading and log.layer:
        how = f"died by signal {-status}" if status < 0 else f"ended with status {status}"
        why = "; a file that is mapped into memory, such as an LMDB, is cut off" if status == -_SIGBUS else ""
        return Refused(max(log.tests, 0), log.layer, f"the process {how} while this layer was set up{why}", "load")
    return Crashed(status, "\n".join(list(log.tail)[-20:]))


def python_layer(log: Log, loading: bool) -> Event:
    """An exception whose traceback was printed: of a Python layer, unless the interpreter itself had no caffe."""
    message = log.trace[-1].strip()
    places = re.findall(r'File "([^"]+)", line (\d+)', "\n".join(log.trace))
    path, line = places[-1] if places else ("", "0")
    if loading and message.startswith("SystemError"):  # Caffe printed what was raised, and Boost says that it did
        said = [text for text in log.tail if re.match(r"\w*(Error|Exception)\b: ", text) and text != message]
        if said:
            return PythonLayer(log.layer, said[-1], "", 0)
    if re.match(r"(ModuleNotFoundError|ImportError)\b.*\b_?caffe\b", message):
        return Crashed(1, message)
    if os.path.basename(path) == "runner.py":
        return Crashed(1, "\n".join(log.trace))
    return PythonLayer(log.layer if loading else "", message, path, int(line))
