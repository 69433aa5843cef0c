"""Reads what a real Caffe leaves on stderr, and makes events of it: glog's lines, protobuf's, Python's tracebacks.

Here alone is anything read out of prose: Caffe ends its process on a failed check, and says why in its log alone.
"""

from __future__ import annotations

import os
import re
import threading
from collections import Counter, deque
from collections.abc import Sequence
from typing import IO

from caffelint.smoke.events import (
    NO_GPU,
    UNKNOWN,
    Crashed,
    Creating,
    Event,
    Loaded,
    OutOfMemory,
    PythonLayer,
    Refused,
    TimedOut,
)
from caffelint.smoke.job import Job

_TAIL_LINES = 60
_LONGEST_LINE = 1 << 20
_CHUNK = 1 << 17
_KEPT = 4000
_FATAL = re.compile(r"^F\d{4,8} [\d:.]+ +\d+ (?P<at>\S+)\] ?(?P<message>.*)")
_CREATING = re.compile(r"\] (?:Creating layer|Setting up) (?P<layer>.+)")
_PARSING = re.compile(r"Error parsing text-format \S+: (?P<line>\d+):\d+: (?P<what>.+)")
_PHASE = re.compile(r"Creating (?P<phase>training|test) net")
_NO_LAYER = ("solver.cpp", "sgd_solver.cpp", "solver_factory", "upgrade_proto.cpp")
"""Files of Caffe whose checks are of the solver, whatever layer was made last."""
_NAMED = re.compile(r"(?<!owned by )layer '(?P<layer>[^']+)'")
_MEMORY = re.compile(
    r"out of memory|std::bad_alloc|Cannot allocate memory|MemoryError|unable to allocate|host allocation of size",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(: |:?$)")
_LOGGED = re.compile(r"[IWE]\d{4,8} [\d:.]+ ")
_CHECK = "Check failed: "
_OF_THE_SOLVER = re.compile(r"\bparam_\.([a-z_]+?)(?:_size)?\(\)")
"""As `param_.test_iter_size()` in solver.cpp."""
_KINDS = {
    UNKNOWN: re.compile(r"Unknown layer type|has no field named|Unknown enumeration value|registry\.count"),
    NO_GPU: re.compile(
        r"CPU-only Caffe|no CUDA-capable device|invalid device ordinal|CUDA driver version|no ROCm-capable device"
    ),
}
_NO_WEIGHTS = re.compile(r"Couldn't open \S+\Z")
"""Net::CopyTrainedLayersFromHDF5, which also has to do with a file that is not there (net.cpp)."""
_UNSEEN = re.compile(r"can't open file .*runner\.py|No such file or directory: .*job\.json")
_MATTERS = [b"\ntimeout (", b"\nf", b"] creating", b"] setting up", b"error parsing", b"traceback"]
_MATTERS += [
    b"out of memory",
    b"bad_alloc",
    b"cannot allocate",
    b"memoryerror",
    b"unable to allocate",
    b"host allocation of",
]
"""`Log.line` finds nothing in a block of lines that, in lower case, contains none of these."""
_LOOK = re.compile(r"Timeout \(\d+:\d\d:\d\d(\.\d+)?\)!$")
_THREAD = re.compile(r"(Current thread|Thread) 0x[0-9a-f]+ .*\(most recent call first\):$")
_FRAME = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d+) in (?P<function>[^"\n]+)$')
"""What faulthandler writes (stacks.py)."""
_SIGBUS, _SIGKILL = 7, 9

Frame = tuple[str, int, str]
"""File, line and function."""


class Log:
    """What matters of a child's stderr: the end of it, the first FATAL of glog, the layer that was being made.

    parsing: what protobuf could not read of a text, and the line of that. looks: what the threads were found to run,
    each its frames from the innermost on.
    """

    def __init__(self) -> None:
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self.fatal = ""
        self.creating: Creating | None = None
        self.parsing = "", 0
        self.trace: list[str] = []
        self.more = 0
        self.out_of_memory = ""
        self.looks: list[list[list[Frame]]] = []
        self._looking = False
        self._lock = threading.Lock()

    @property
    def net(self) -> int:
        """The number of the net that was begun last; 0 before there was any."""
        return self.creating.net if self.creating else 0

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
        """Lines of stderr, or of stdout that are no events: the two are read by a thread each."""
        with self._lock:
            self._block(block)

    def _block(self, block: bytes) -> None:
        lines = block.removesuffix(b"\n")
        if not block:
            return
        small = b"\n" + block.lower()
        if self.more or self._looking or (self.trace and not self._traced()) or any(word in small for word in _MATTERS):
            for raw in lines.split(b"\n"):
                self.line(raw.decode("utf-8", "replace").rstrip("\r"))
        else:
            last = lines.rsplit(b"\n", _TAIL_LINES)
            self.tail.extend(raw[-_KEPT:].decode("utf-8", "replace").rstrip("\r") for raw in last[-_TAIL_LINES:])

    def line(self, line: str) -> None:
        line = line[:_KEPT]
        if self._look(line):
            return
        self.tail.append(line)
        if self.more:
            self.more -= 1
            if line and not line.startswith(("***", "    @")) and not re.match(r"^[A-Z]\d{4}", line):
                self.fatal += f" {line.strip()}"
        if found := _FATAL.match(line):
            if not self.fatal:
                if found["at"].startswith(_NO_LAYER):
                    self.creating = Creating(self.net, "")
                self.fatal = found["message"].split("*** Check failure")[0].strip()
                self.more = 0 if "*** Check" in line else 1
        elif found := _PARSING.search(line):
            self.parsing = found["what"], int(found["line"])
        elif found := _CREATING.search(line):
            self.creating = Creating(self.net, found["layer"])
        elif found := _PHASE.search(line):
            self.creating = Creating(0 if found["phase"] == "training" else self.net + 1, "")
        elif _MEMORY.search(line):
            self.out_of_memory = self.out_of_memory or line.strip()
        if line.startswith("Traceback (most recent call last)") and not self.trace:
            self.trace = [line]
        elif self.trace and not self._traced() and not _LOGGED.match(line.strip()):
            self.trace.append(line)  # what another thread logs meanwhile comes in between

    def _look(self, line: str) -> bool:
        """Is it a line of a look at all threads?"""
        if _LOOK.match(line):
            self.looks.append([])
            self._looking = True
        elif self._looking and _THREAD.match(line):
            self.looks[-1].append([])
        elif self._looking and self.looks[-1] and (frame := _FRAME.match(line)):
            self.looks[-1][-1].append((frame["file"], int(frame["line"]), frame["function"]))
        else:
            self._looking = self._looking and (not line or line.startswith("  "))  # a frame that a crash cut short
        return self._looking

    def _traced(self) -> bool:
        """Is the traceback over? Its last line names an exception; what another thread logs may cut the others up."""
        return len(self.trace) > 1 and _EXCEPTION.match(self.trace[-1]) is not None

    @property
    def said(self) -> str:
        """The last line that is not of a log."""
        lines = (line.strip() for line in reversed(self.tail))
        return next((line for line in lines if line and not _LOGGED.match(line)), "")


def ending(status: int, log: Log, events: Sequence[Event], late: float, job: Job, cpu: float = -1.0) -> Event:
    """Why a child ended that did not say so itself. status: as of subprocess. late: seconds, where it was too late.

    cpu: cores that it took then.
    """
    if late:
        timed_out = TimedOut(round(late, 1), looks=len(log.looks), cpu=round(cpu, 2))
        return _with_thread(log, job, _late(log.looks, job, timed_out))
    loading = not any(isinstance(event, Loaded) for event in events)
    found = [event for event in events if isinstance(event, Creating)]
    creating = (found[-1] if found else log.creating) or Creating(0, "")
    if log.fatal:
        return _failed_check(log, creating if loading else None, job)
    if log.out_of_memory or status == -_SIGKILL:
        return OutOfMemory(log.out_of_memory or "the system ended it, as it does for want of memory", job.device)
    if log.trace:
        return _raised(log, creating, loading)
    if loading and creating.layer:
        how = f"was killed by signal {-status}" if status < 0 else f"exited with {status}"
        why = "; a file that is mapped into memory, such as an LMDB, is cut off" if status == -_SIGBUS else ""
        words = f"the process {how} while it set up this layer{why}"
        return Refused(creating.net, creating.layer, words, "load")
    text = "\n".join(list(log.tail)[-20:])
    return Crashed(status, text, log.said, _UNSEEN.search(text) is not None)


def _late(looks: Sequence[Sequence[Sequence[Frame]]], job: Job, late: TimedOut) -> TimedOut:
    """With the place in the user's own code where it was found most often, if it was in at least half of the looks."""
    found: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], tuple[Frame, Frame]] = {}
    for threads in looks:
        own = [(one, frames[0]) for frames in threads if (one := _own(frames, job))]
        if own:
            frame, inner = own[0]
            found[frame[0], frame[2]] += 1
            last[frame[0], frame[2]] = frame, inner
    if not found or 2 * found.total() < len(looks):
        return late
    where, times = found.most_common(1)[0]
    frame, inner = last[where]
    calls = "" if inner == frame else f"{inner[2]} ({os.path.basename(inner[0])}:{inner[1]})"
    return late._replace(file=frame[0], line=frame[1], function=frame[2], calls=calls, found=times)


def _with_thread(log: Log, job: Job, late: TimedOut) -> TimedOut:
    """With the exception that ended a thread of the user's own code, for which the others may wait."""
    places = re.findall(r'File "([^"]+)", line (\d+)', "\n".join(log.trace))
    own = _own([(path, int(line), "") for path, line in reversed(places)], job)
    if own is None or not _EXCEPTION.match(log.trace[-1]):
        return late
    return late._replace(raised=log.trace[-1].strip(), raised_in=own[0], raised_at=own[1])


def _own(frames: Sequence[Frame], job: Job) -> Frame | None:
    """The innermost frame in a file of the user's."""
    folders = [os.getcwd(), *job.checked, *job.python_path]
    copies = os.path.dirname(job.solver)
    for frame in frames:
        path = os.path.abspath(frame[0])
        inside = any(path.startswith(os.path.join(folder, "")) for folder in folders) and frame[0][:1] != "<"
        if inside and "-packages" not in path and not path.startswith(os.path.join(copies, "")):
            return frame
    return None


def _failed_check(log: Log, creating: Creating | None, job: Job) -> Event:
    """What a FATAL of glog says. creating: what was being set up, None where all nets were loaded."""
    if _MEMORY.search(log.fatal):
        return OutOfMemory(log.fatal.removeprefix(_CHECK), job.device)
    during = "load" if creating else "run"
    if "annot copy param" in log.fatal or (not creating and "NetParameter file" in log.fatal):
        during = "weights"
    if _NO_WEIGHTS.search(log.fatal):
        return Refused(0, "", log.fatal.removeprefix(_CHECK), "weights", field="weights")
    named = _NAMED.search(log.fatal)
    layer = named["layer"] if named else creating.layer if creating else ""
    message, line = log.fatal.removeprefix(_CHECK), 0
    net = creating.net if creating else 0
    if log.parsing[0] and "Failed to parse" in log.fatal:
        message, line = log.parsing
        if '"caffe.SolverParameter"' in message:
            net = -1
    field = "" if layer else _OF_THE_SOLVER.search(message)
    return Refused(net, layer, message, during, _kind(message), line, field[1] if field else "")


def _kind(message: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(message)), "")


def why_no_gpu(log: str) -> str:
    """Why a Caffe could not use the GPU, from what it wrote to stderr."""
    read = Log()
    read.block(log.encode())
    return "it is built without GPU support" if "CPU-only" in read.fatal else read.fatal.removeprefix(_CHECK)


def _raised(log: Log, creating: Creating, loading: bool) -> Event:
    """An exception whose traceback was printed: of a Python layer, unless the interpreter itself had no caffe."""
    message = log.trace[-1].strip()
    places = re.findall(r'File "([^"]+)", line (\d+)', "\n".join(log.trace))
    path, line = places[-1] if places else ("", "0")
    if loading and message.startswith("SystemError"):  # Caffe printed what was raised, and Boost says that it did
        said = [text for text in log.tail if re.match(r"\w*(Error|Exception)\b: ", text) and text != message]
        if said:
            return PythonLayer(creating.layer, said[-1], "", 0)
    if re.match(r"(ModuleNotFoundError|ImportError)\b.*\b_?caffe\b", message):
        return Crashed(1, message, message)
    if os.path.basename(path) == "runner.py":
        text = "\n".join(log.trace)
        return Crashed(1, text, message, _UNSEEN.search(text) is not None)
    return PythonLayer(creating.layer if loading else "", message, path, int(line))
