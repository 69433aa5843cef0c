"""What an upgrade leaves alone, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Left(NamedTuple):
    """What was not upgraded: where it stands (1-based line) and why, in one line.

    `intended`: the Caffe that it is for reads no newer form, so nothing is left to do.
    """

    line: int
    message: str
    intended: bool = False


class CannotUpgrade(Exception):
    """A text has no counterpart in the current format; `start` is where it stands."""

    def __init__(self, start: int, message: str, intended: bool = False) -> None:
        super().__init__(message)
        self.start = start
        self.message = message
        self.intended = intended


def told(left: Iterable[tuple[str, Left]]) -> list[str]:
    """A line for each file and what was left alone in it; one for all that were left for the same intended reason."""
    lines: list[str] = []
    alike: dict[str, list[tuple[str, int]]] = {}
    for path, (line, message, intended) in left:
        if intended:
            alike.setdefault(message, []).append((path, line))
        else:
            lines.append(f"{path}:{line}: left alone: {message}")
    for message, places in alike.items():
        path, line = places[0]
        where = f"{path}:{line}: left alone" if len(places) == 1 else f"{len(places)} files left alone, such as {path}"
        lines.append(f"{where}: {message}")
    return lines
