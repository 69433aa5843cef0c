"""Starts an engine and ends everything it started: `python -I -S keeper.py CONTROL STARTED engine COMMAND...`.

On Linux it adopts what loses its parent, in whatever session that is (PR_SET_CHILD_SUBREAPER, prctl(2)), so nothing
escapes it; elsewhere it ends the engine's process group. It ends with the engine's own status or signal.

CONTROL and STARTED are file descriptors. The engine is ended at a byte on CONTROL, or at its end, which comes when the
program that started this is killed. STARTED is closed once the engine runs, after the error number if it cannot be
started.

`keeper.py CONTROL STARTED folder PATH` removes a folder if the program that started it is killed, and does nothing if
it gets a byte before.

The standard library alone, and no folder of a user's in sys.path: it runs isolated and without site.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable

GRACE = 3.0
"""Seconds that processes have to clean up after SIGTERM."""
_PATIENCE = 5.0
_STEP = 0.02
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
NOT_STARTED = 127


def main(control: int, started: int, what: str, arguments: list[str]) -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    return keep(control, started, arguments) if what == "engine" else sweep(control, started, arguments[0])


def sweep(control: int, started: int, folder: str) -> int:
    """Remove a folder once the program that uses it was killed; its engines, which are ended now, may still write."""
    os.close(started)
    if not os.read(control, 1):
        until = time.monotonic() + 2 * (GRACE + _PATIENCE)
        while os.path.isdir(folder) and time.monotonic() < until:
            shutil.rmtree(folder, ignore_errors=True)
            time.sleep(10 * _STEP)
    return 0


def keep(control: int, started: int, command: list[str]) -> int:
    """Run an engine and end all that it started; its status, or minus the signal."""
    prctl = _prctl()
    prctl(_PR_SET_CHILD_SUBREAPER, 1)

    def with_its_keeper() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake)
    try:
        engine = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=with_its_keeper)
    except OSError as error:
        os.write(started, str(error.errno or 0).encode())
        return NOT_STARTED
    os.close(started)
    waiting = select.poll()  # unlike select(2), for files of any number
    waiting.register(control, select.POLLIN)
    waiting.register(woken, select.POLLIN)
    while engine.poll() is None:
        ready = [file for file, _ in waiting.poll()]
        if woken in ready:
            os.read(woken, 512)
        if control in ready:
            break
    end(engine)
    return engine.returncode


def end(engine: subprocess.Popen[bytes]) -> None:
    """End the engine, if it is still there, and everything that it started."""
    _signal(engine, signal.SIGTERM if engine.poll() is None else signal.SIGKILL)
    until = time.monotonic() + GRACE
    while engine.poll() is None and time.monotonic() < until:
        time.sleep(_STEP)
    until = time.monotonic() + _PATIENCE
    while _signal(engine, signal.SIGKILL) and time.monotonic() < until:
        engine.poll()
        _reap(engine)
        time.sleep(_STEP)
    with contextlib.suppress(subprocess.TimeoutExpired):
        engine.wait(GRACE)


def _signal(engine: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to all that is left; was there anything?"""
    left = _descendants()
    for pid in left:
        with contextlib.suppress(OSError):
            os.kill(pid, number)
    group = False
    with contextlib.suppress(OSError):
        os.killpg(engine.pid, number)
        group = True
    return bool(left) or (group and not sys.platform.startswith("linux"))


def _reap(engine: subprocess.Popen[bytes]) -> None:
    """Reap adopted processes; the engine's own status is left to its object."""
    for pid in _descendants(dead=True):
        if pid != engine.pid:
            with contextlib.suppress(OSError):
                os.waitpid(pid, os.WNOHANG)


def _descendants(dead: bool = False) -> list[int]:
    """Of this process, by /proc; none without a /proc. dead: those that only wait to be reaped."""
    parents: dict[int, int] = {}
    states: dict[int, bytes] = {}
    try:
        entries = [entry for entry in os.listdir("/proc") if entry.isdigit()]
    except OSError:
        return []
    for entry in entries:
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        parents[int(entry)] = int(parent)
        states[int(entry)] = state
    found, own = [], {os.getpid()}
    waiting = list(parents)
    while True:
        children = [pid for pid in waiting if parents[pid] in own]
        if not children:
            break
        own.update(children)
        waiting = [pid for pid in waiting if pid not in own]
        found += children
    return [pid for pid in found if (states[pid] in (b"Z", b"X")) == dead]


def _prctl() -> Callable[[int, int], int]:
    """prctl(2), or a function that does nothing on a system without it."""
    if sys.platform.startswith("linux"):
        try:
            import ctypes

            call: Callable[[int, int], int] = ctypes.CDLL(None).prctl
            return call
        except (ImportError, OSError, AttributeError):
            pass
    return lambda option, value: 0


def leave_as(status: int) -> None:
    """End this process as the engine ended: with its status, or by its signal."""
    if status < 0:
        with contextlib.suppress(ImportError, ValueError, OSError):
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status & 255)


if __name__ == "__main__":
    leave_as(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]))
