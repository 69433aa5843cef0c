"""What an upgrade leaves alone, and why."""

from __future__ import annotations

from typing import NamedTuple


class Left(NamedTuple):
    """What was not upgraded: where it stands (1-based line) and why, in one line."""

    line: int
    message: str


class CannotUpgrade(Exception):
    """A text has no counterpart in the current format; `start` is where it stands."""

    def __init__(self, start: int, message: str) -> None:
        super().__init__(message)
        self.start = start
        self.message = message
