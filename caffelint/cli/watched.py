"""The table of `caffelint smoke --watch`: statistics of blobs and layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from caffelint.smoke.events import BLOB, Event, Statistics

_ROWS = 5
_PARTS = {"data": "", "diff": " gradient", "update": " update"}


def watched(events: Iterable[Event], names: Sequence[str]) -> list[str]:
    """Lines of a table: for each blob and parameter of these names, some of the iterations."""
    found: dict[str, list[Statistics]] = {}
    for event in events:
        if not isinstance(event, Statistics) or event.iteration < 0:
            continue
        if event.layer in names or (event.kind == BLOB and event.name in names):
            what = event.name if event.kind == BLOB else f"{event.layer} parameter {event.name}"
            found.setdefault(what + _PARTS.get(event.part, f" {event.part}"), []).append(event)
    if not found:
        return []
    width = max(map(len, found))
    columns = "".join(f"{name:>12}" for name in ("iteration", "min", "max", "mean", "std", "zeros"))
    lines = [f"{'watched':<{width}}{columns}"]
    for what, measured in found.items():
        for number, one in enumerate(_some(measured)):
            figures = "".join(f"{value:>12.4g}" for value in (one.min, one.max, one.mean, one.std))
            lines.append(f"{'' if number else what:<{width}}{one.iteration:>12}{figures}{one.zeros:>12.1%}")
    return lines


def _some(measured: Sequence[Statistics]) -> list[Statistics]:
    """The first, the last, and some between."""
    last = len(measured) - 1
    return [measured[number] for number in sorted({round(last * part / (_ROWS - 1)) for part in range(_ROWS)})]
