"""What an upgrade does not change, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_FEW = 5


class Left(NamedTuple):
    """What was not upgraded: where it is (1-based line) and why, in one line.

    `intended`: the Caffe that it is for reads no newer form, so nothing is left to do.
    """

    line: int
    message: str
    intended: bool = False


class CannotUpgrade(Exception):
    """A text has no counterpart in the current format; `start` is where it is."""

    def __init__(self, start: int, message: str, intended: bool = False) -> None:
        super().__init__(message)
        self.start = start
        self.message = message
        self.intended = intended


def told(left: Iterable[tuple[str, Left]], most: int | None = _FEW, hint: str = "") -> list[str]:
    """A line for each file and what of it is not upgraded, or is kept on purpose.

    One line tells of all that are kept for the same reason, and names `most` of them; None for a line for each.
    hint: where some are not named, how to see them.
    """
    lines: list[str] = []
    alike: dict[str, list[tuple[str, int]]] = {}
    for path, (line, message, intended) in left:
        if intended and most is not None:
            alike.setdefault(message, []).append((path, line))
        else:
            lines.append(f"{path}:{line}: {'kept' if intended else 'not upgraded'}: {message}")
    for message, places in alike.items():
        path, line = places[0]
        if len(places) == 1:
            lines.append(f"{path}:{line}: kept: {message}")
            continue
        names = [path for path, _ in places[:most]]
        more = f" and {len(places) - len(names)} more{hint}" if len(places) > len(names) else ""
        lines.append(f"{len(places)} files kept: {message}: {', '.join(names)}{more}")
    return lines
