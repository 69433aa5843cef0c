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
_AGAIN = 0.05
"""Seconds after which an exception that was lost is raised anew."""
_holding = 0
_waiting: list[int] = []


@contextmanager
def ending_once(*names: str) -> Iterator[None]:
    """Within it the first of these signals raises KeyboardInterrupt or SystemExit, and later ones do nothing.

    An exception that is raised at any place may lead to another one, as of a lock that was just about to be held; what
    then comes out is what the signal has raised. Where Python cannot raise it, in the callback of a weak reference or
    in a library that allows for none, it is raised again a moment later.
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
        sys.unraisablehook = lost
        if hasattr(signal, "setitimer"):
            before[signal.SIGALRM] = signal.signal(signal.SIGALRM, again)
        if _holding:
            _waiting.append(number)
        else:
            _raise(number)

    def lost(what: Any) -> None:
        if not isinstance(what.exc_value, (KeyboardInterrupt, SystemExit)):
            hook(what)
        elif hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)

    def again(number: int, frame: FrameType | None) -> None:
        if _holding:
            _waiting.append(came[0])
        else:
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


def _raise(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(_BY_SIGNAL + number)
