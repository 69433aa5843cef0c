"""What an upgrade leaves as it is, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_FEW = 5


class Left(NamedTuple):
    """What was not upgraded: its line (1-based) and why, in one line.

    `intended`: the Caffe that it is for reads no newer format, so there is nothing to do.
    """

    line: int
    message: str
    intended: bool = False


class CannotUpgrade(Exception):
    """The text at the offset `start` has no counterpart in the current format."""

    def __init__(self, start: int, message: str, intended: bool = False) -> None:
        super().__init__(message)
        self.start = start
        self.message = message
        self.intended = intended


def lines_about(left: Iterable[tuple[str, Left]], most: int | None = _FEW, hint: str = "") -> list[str]:
    """A line for each file that is not upgraded; those that stay old for the same reason are listed below it.

    Of these, `most` are listed, None for all; `hint`: how to see the others. A line that begins with two spaces belongs
    to the one above.
    """
    lines: list[str] = []
    alike: dict[str, list[str]] = {}
    for path, (line, message, intended) in left:
        if intended:
            alike.setdefault(message, []).append(f"{path}:{line}")
        else:
            lines.append(f"{path}:{line}: not upgraded: {message}")
    for message, places in alike.items():
        if len(places) == 1:
            lines.append(f"{places[0]}: stays in the old format: {message}")
            continue
        lines.append(f"{len(places)} files stay in the old format: {message}")
        lines += [f"  {place}" for place in places[:most]]
        if most is not None and len(places) > most:
            lines.append(f"  and {len(places) - most} more{hint}")
    return lines
