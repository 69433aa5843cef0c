"""Ctrl-C, SIGTERM and a closed terminal end what runs with all its clean-up, whenever they come."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = ("SIGTERM", "SIGHUP")
_BY_SIGNAL = 128
_AGAIN = 0.3
"""Seconds after which an exception that nobody has seen is raised anew."""
_RAISED = (KeyboardInterrupt, SystemExit)
_holding = 0
_waiting: list[int] = []


@contextmanager
def ending_once(*names: str) -> Iterator[None]:
    """Within it the first of these signals raises KeyboardInterrupt or SystemExit, and later ones do nothing.

    An exception that is raised at any place may lead to another one, as of a lock that was just about to be held; what
    then comes out is what the signal has raised. It may also be lost, in the callback of a weak reference or in a
    library that swallows what it does not expect: until it is on its way out it is raised again and again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # A signal that is ignored from the start, like SIGHUP under nohup, stays so.
    numbers = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    came: list[int] = []
    hook = sys.unraisablehook

    def ended(number: int, frame: FrameType | None) -> None:
        for one in numbers:
            signal.signal(one, signal.SIG_IGN)
        came.append(number)
        sys.unraisablehook = lambda lost: None if isinstance(lost.exc_value, _RAISED) else hook(lost)
        if hasattr(signal, "setitimer"):
            before[signal.SIGALRM] = signal.signal(signal.SIGALRM, again)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
        if _holding:
            _waiting.append(number)
        else:
            _raise(number)

    def again(number: int, frame: FrameType | None) -> None:
        if not _holding and not _is_on_its_way():
            _raise(came[0])

    before: dict[int, Any] = {number: signal.signal(number, ended) for number in numbers}
    try:
        yield
    except Exception:
        if came:
            _raise(came[0])
        raise
    finally:
        if came and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = hook
        _waiting.clear()
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held() -> Iterator[None]:
    """Within it such a signal waits for the end: for what must not be interrupted, starting a process or ending it."""
    global _holding
    _holding += 1
    try:
        yield
    finally:
        _holding -= 1
    if _waiting and not _holding:
        _raise(_waiting.pop())


def _is_on_its_way() -> bool:
    """Does what runs clean up because of what a signal has raised?"""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, _RAISED):
        error = error.__context__
    return error is not None


def _raise(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(_BY_SIGNAL + number)
