"""What the processes below one take of the machine, from /proc."""

from __future__ import annotations

import os
import time
from glob import glob

_MOMENT = 0.5
_LITTLE = 0.02
"""Of a core: that much goes to threads that only look whether there is something to do."""


def cpu_share(pid: int) -> float:
    """How many cores all processes take for a moment that a process started, or wait for while others have them.

    -1 where there is no /proc.
    """
    first = _cpu_seconds(pid)
    started = time.monotonic()
    time.sleep(_MOMENT)
    last = _cpu_seconds(pid)
    return max(0.0, last - first) / (time.monotonic() - started) if first >= 0 else -1.0


class Still:
    """Tells when the processes below one have waited for long: they took next to no CPU time, and read nothing.

    A container's work is not below the client that started it, so what has not loaded numpy is not judged.
    """

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid = pid
        self._seconds = seconds
        self.moved()

    def moved(self) -> None:
        """Something was done, so the time begins anew."""
        self._since, self._used = time.monotonic(), -1.0

    def waits(self) -> bool:
        """Is the time over, and was it spent waiting?"""
        if self._used < 0:
            self._used, self._read = _cpu_seconds(self._pid), _bytes_read(self._pid)
        if time.monotonic() - self._since < self._seconds:
            return False
        took, read = _cpu_seconds(self._pid) - self._used, _bytes_read(self._pid) - self._read
        waited = took < _LITTLE * self._seconds and read == 0
        if self._used < 0 or not waited or not any(_has_numpy(one) for one in _below(self._pid)):
            self.moved()
            return False
        return True


def _bytes_read(pid: int) -> int:
    """By all processes below one, also of files that they map."""
    read = 0
    for one in _below(pid):
        try:
            with open(f"/proc/{one}/io") as file:
                values = dict(line.split(": ") for line in file.read().splitlines())
        except (OSError, ValueError):
            continue
        read += int(values.get("read_bytes", 0)) + int(values.get("rchar", 0))
    return read


def _has_numpy(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/maps", errors="replace") as file:
            return any("numpy" in line for line in file)
    except OSError:
        return False


def _cpu_seconds(pid: int) -> float:
    """Of all processes that a process started and that are still there; -1 where there is no /proc."""
    try:
        ticks = os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return -1.0
    return float(sum(_used(one) / ticks + _queued(one) for one in below)) if (below := _below(pid)) else -1.0


def _below(pid: int) -> set[int]:
    """A process and all that it started, of those that are still there; none where there is no /proc."""
    try:
        pids = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    except OSError:
        return set()
    parents = {one: int(fields[1]) for one in pids if (fields := _stat(one))}
    below, new = set(), {pid}
    while new:
        below |= new
        new = {one for one, parent in parents.items() if parent in new and one not in below}
    return below


def _stat(pid: int) -> list[bytes]:
    """What the kernel tells of a process, from its state on."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def _used(pid: int) -> int:
    """CPU time in ticks."""
    fields = _stat(pid)
    return int(fields[11]) + int(fields[12]) if fields else 0


def _queued(pid: int) -> float:
    """Seconds that the threads of a process waited for a CPU; 0 where the kernel does not tell."""
    seconds = 0.0
    for path in glob(f"/proc/{pid}/task/*/schedstat"):
        try:
            with open(path) as file:
                seconds += int(file.read().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            continue
    return seconds
