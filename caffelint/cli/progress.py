"""A one-line progress bar on stderr, for people who wait."""

from __future__ import annotations

import sys
import time
from types import TracebackType

_SHOW_AFTER_SECONDS = 1.0
_REDRAW_AFTER_SECONDS = 0.1
_WIDTH = 30


class Progress:
    """Called with what is done and the total; draws on a terminal alone, and only when it takes long.

    With a unit it also shows how fast that goes, and how long it still takes.

    >>> with Progress() as progress:
    ...     progress(1, 2)
    """

    def __init__(self, quiet: bool = False, unit: str = "") -> None:
        self._unit = unit
        self._began = time.monotonic()
        self._next = time.monotonic() + _SHOW_AFTER_SECONDS
        self._drawn = False
        self._wanted = not quiet and sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._wanted or now < self._next:
            return
        self._next = now + _REDRAW_AFTER_SECONDS
        from shutil import get_terminal_size

        self._drawn = True
        filled = min(_WIDTH * done // max(total, 1), _WIDTH)
        text = f"{done} of {total}"
        if self._unit:
            text = f"{done:,} of {total:,} {self._unit}{self._speed(done, total, now)}"
        text = text[: get_terminal_size().columns - _WIDTH - 2]
        sys.stderr.write(f"\r{'━' * filled}{'─' * (_WIDTH - filled)} {text}\x1b[K")
        sys.stderr.flush()

    def _speed(self, done: int, total: int, now: float) -> str:
        """How many a second, and how long it still takes."""
        speed = done / max(now - self._began, 1e-3)
        left = max(total - done, 0) / speed if speed else 0
        return f", {speed:,.0f}/s, {left:.0f} s left" if left < 120 else f", {speed:,.0f}/s, {left / 60:.0f} min left"

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
