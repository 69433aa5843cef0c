"""The table of `caffelint check --timing`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from caffelint.cli.outputs import TABLE, use_color, width
from caffelint.cli.tell import say
from caffelint.report.fit import Column, table
from caffelint.report.words import count, painter

if TYPE_CHECKING:
    from caffelint.cli.progress import Progress
    from caffelint.lint.config import Config
    from caffelint.lint.report import Report
    from caffelint.lint.timing import Seconds

_COLUMNS = (Column("ms", True), Column("share", True, goes=1), Column("rule"))
_LEAST = 0.0005
"""Seconds; what takes less is summed up."""


def timed(paths: Sequence[str], config: Config, progress: Progress, changed: set[str] | None) -> Report:
    """Check, and show on stderr what each rule took, the costliest first."""
    from caffelint.lint.engine import check

    seconds: Seconds = {}
    began = perf_counter()
    report = check(paths, config, progress=progress, changed=changed, seconds=seconds)
    paint = painter(use_color(sys.stderr))
    head, *lines = table(_COLUMNS, rows(seconds, perf_counter() - began), width(sys.stderr, TABLE))
    say("\n".join([paint(head, "dim"), *lines, ""]), err=True)
    return report


def rows(seconds: Seconds, total: float) -> list[tuple[str, str, str]]:
    """Of the table: a rule each, then the quick ones together, and what is no rule's."""
    slow = {name: taken for name, taken in seconds.items() if taken >= _LEAST}
    found = [_row(name, slow[name], total) for name in sorted(slow, key=lambda name: -slow[name])]
    if quick := len(seconds) - len(slow):
        found.append(_row(count(quick, "quicker rule"), sum(seconds.values()) - sum(slow.values()), total))
    return [*found, _row("reading and building nets", max(0.0, total - sum(seconds.values())), total)]


def _row(name: str, taken: float, total: float) -> tuple[str, str, str]:
    return f"{1000 * taken:,.0f}", f"{taken / max(total, 1e-9):.1%}", name
