"""The table and the picture of `caffelint lr`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from caffelint.report.fit import hanging
from caffelint.report.words import painter
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.caffe.learning_rate import Schedule

_BLOCKS = " ▁▂▃▄▅▆▇█"
_ROWS = 8
_WIDTH = 80
_LABEL = 26
"""Columns that are kept for the indent and the largest rate beside the picture."""
_MOST_POINTS = 100
_LINEAR = 50
"""The largest factor between rates that blocks can show side by side; beyond it their heights are logarithms."""


def write(schedule: Schedule, title: str, limit: int, out: TextIO, width: int | None, color: bool = False) -> None:
    """The rate over the iterations before `limit`: drawn in blocks if it changes, then where it matters.

    width: of the window in columns; None is no limit.
    """
    paint = painter(color)
    head = f"{paint(visible(title), 'bold')}, {visible(schedule.policy)}, {limit:,} iterations"
    out.writelines(f"{line}\n" for line in hanging(head, width))
    if schedule.problem:
        problem = f"  {paint('Caffe stops at the first update', 'error')}: {visible(schedule.problem)}"
        out.writelines(f"{line}\n" for line in hanging(problem, width))
        return
    columns = min((width or _WIDTH) - _LABEL, _MOST_POINTS)
    points = [(limit - 1) * i // max(columns - 1, 1) for i in range(columns)]
    rates = [schedule.rate(point) for point in points]
    for line in blocks(rates) if len(set(rates)) > 1 else ():
        out.write("  " + line + "\n")
    out.write(f"  {'iteration':>12}  rate\n")
    for iteration in milestones(schedule, limit):
        rate = schedule.rate(iteration)
        shown = f"{rate:.6g}"
        out.write(f"  {iteration:12,}  {shown if math.isfinite(rate) else paint(shown, 'error')}\n")


def milestones(schedule: Schedule, limit: int, most: int = 24) -> list[int]:
    """The first and last iteration, and between them those after which the rate has changed by a tenth or more."""
    last = max(limit - 1, 0)
    found = [0]
    while found[-1] < last and len(found) < most:
        start = schedule.rate(found[-1])
        step = _next_change(schedule, found[-1], last, start)
        if step is None:
            break
        found.append(step)
    return found if found[-1] == last else [*found, last]


def _next_change(schedule: Schedule, after: int, last: int, start: float) -> int | None:
    """The first iteration after `after` whose rate differs from `start` by more than a tenth of it."""

    def differs(iteration: int) -> bool:
        rate = schedule.rate(iteration)
        if not (math.isfinite(rate) and math.isfinite(start)):
            return str(rate) != str(start)
        return abs(rate - start) > abs(start) / 10

    for low, high in schedule.stretches(last + 1):
        low = max(low, after + 1)
        if high < low or not (differs(low) or differs(high)):
            continue
        if differs(low):
            return low
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if differs(middle) else (middle, high)
        return high
    return None


def blocks(values: Sequence[float]) -> list[str]:
    """Lines of block characters, one column a value; `!` where a value is not finite.

    Heights go from 0 to the largest value, or, with the label "log scale", from the logarithm of the least above 0.
    """
    finite = [abs(value) for value in values if math.isfinite(value)]
    top = max(finite, default=0.0) or 1.0
    least = min((value for value in finite if value), default=top)
    is_log = logarithmic(values)
    lines = []
    for row in range(_ROWS if finite else 1, 0, -1):
        line = ""
        for value in values:
            if not math.isfinite(value):
                line += "!" if row == 1 else " "
                continue
            part = (_logarithmic(abs(value), least, top) if is_log else abs(value) / top) * _ROWS - (row - 1)
            line += _BLOCKS[max(0, min(8, round(part * 8)))]
        if row == _ROWS:
            line += f"  {top:.3g}" + " (log scale)" * is_log
        elif row == 1 and is_log:
            line += f"  {least:.3g}"
        lines.append(line.rstrip())
    return lines


def logarithmic(values: Sequence[float]) -> bool:
    """Do finite values differ so much that only their logarithms can be shown side by side?"""
    sizes = [abs(value) for value in values if math.isfinite(value) and value]
    return bool(sizes) and max(sizes) / _LINEAR > min(sizes)


def _logarithmic(value: float, least: float, top: float) -> float:
    """From 0 to 1: nothing for 0, one block for the least value, all for the top."""
    if not value:
        return 0.0
    one = 1 / (8 * _ROWS)
    return one + (1 - one) * (math.log(value) - math.log(least)) / (math.log(top) - math.log(least))
