"""A plot of a sweep: the loss at the end of each run over the rate, by solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from caffelint.smoke.sweep import Row
from caffelint.text.pictures import MOST_LINES, drawable, new_figure, plain, write_plot

_BAD = "tab:red"


def draw(rows: Sequence[Row], path: Path, title: str) -> None:
    """Write the plot; runs without a finite loss are crosses at the upper edge, and a line joins medians of seeds.

    Raises ImportError without matplotlib, OSError if it cannot be written.
    """
    figure = new_figure(figsize=(11, 6))
    figure.suptitle(plain(title))
    axis = figure.subplots()
    solvers = [*dict.fromkeys(row.solver for row in rows)]
    for number, solver in enumerate(solvers):
        color = f"C{number % 10}"
        ran: dict[float, list[float]] = {}
        for row in rows:
            rate = math.nan if row.base_lr is None else row.base_lr
            if row.solver == solver and row.last is not None and math.isfinite(drawable(row.last)):
                ran.setdefault(number if math.isnan(rate) else rate, []).append(row.last)
            elif row.solver == solver:
                at = number if math.isnan(rate) else rate
                axis.plot([at], [0.97], marker="x", color=_BAD, linestyle="", transform=axis.get_xaxis_transform())
        label = plain(solver) if number < MOST_LINES else None
        points = [(at, loss) for at, losses in ran.items() for loss in losses]
        if points:
            axis.plot(*zip(*points, strict=True), marker=".", linestyle="", color=color)
            axis.plot(sorted(ran), [median(ran[at]) for at in sorted(ran)], color=color, label=label, linewidth=1)
    swept = any(row.base_lr is not None for row in rows)
    if swept:
        axis.set(xscale="log", xlabel="base_lr")
    else:
        axis.set_xticks(range(len(solvers)), [plain(name) for name in solvers], rotation=30, ha="right")
    losses = [row.last for row in rows if row.last is not None and row.last > 0]
    if losses and max(losses) > 10 * min(losses):
        axis.set_yscale("log")
    axis.set(ylabel="loss at the end", title="loss at the end of each run; crosses: no finite loss")
    axis.grid(alpha=0.3)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=8)
    write_plot(figure, path, title)
