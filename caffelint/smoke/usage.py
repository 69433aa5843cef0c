"""What the processes below one take of the machine, from /proc."""

from __future__ import annotations

import os
import time
from glob import glob

_MOMENT = 0.5


def cpu_share(pid: int) -> float:
    """How many cores all processes take for a moment that a process started, or wait for while others have them.

    -1 where there is no /proc.
    """
    first = _cpu_seconds(pid)
    started = time.monotonic()
    time.sleep(_MOMENT)
    last = _cpu_seconds(pid)
    return max(0.0, last - first) / (time.monotonic() - started) if first >= 0 else -1.0


def _cpu_seconds(pid: int) -> float:
    """Of all processes that a process started and that are still there; -1 where there is no /proc."""
    try:
        ticks = os.sysconf("SC_CLK_TCK")
        pids = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    except (OSError, ValueError):
        return -1.0
    parents, used = {}, {}
    for one in pids:
        try:
            with open(f"/proc/{one}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        parents[one], used[one] = int(fields[1]), (int(fields[11]) + int(fields[12])) / ticks
    below, new = set(), {pid}
    while new:
        new = {one for one, parent in parents.items() if parent in new and one not in below}
        below |= new
    return float(sum(used[one] + _queued(one) for one in below))


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
