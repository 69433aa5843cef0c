"""A plot of logs: losses, what the test nets give, and the rate, over the iterations; runs one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from caffelint.evidence.log.values import LOSS, RATE, TEST, TRAIN, Logged, Series, TrainingLog
from caffelint.text.pictures import MOST_LINES, drawable, new_figure, plain, write_plot

_MOST_NAMED = 5
_BAD, _GOOD = "tab:red", "tab:green"


def draw(logs: Sequence[TrainingLog], path: Path) -> None:
    """Write the plot. Raises ImportError without matplotlib, OSError if it cannot be written."""
    runs = [run for log in logs for run in log.runs if run.series]
    begin = [f"{number}: " if len(logs) > 1 else "" for number, _ in enumerate(logs, 1)]
    every = [(start, run, one) for start, log in zip(begin, logs, strict=True) for run in log.runs for one in _all(run)]
    others = [(start, run, one) for start, run, one in every if one.weight is None and one.name not in (LOSS, RATE)]
    rows = 3 if others else 2
    figure = new_figure(figsize=(11, 3.2 * rows + 1))
    named = [f"{start}{Path(log.path).name}" for start, log in zip(begin, logs, strict=True)]
    figure.suptitle("\n".join(map(plain, named[:_MOST_NAMED])) if len(logs) > 1 else plain(logs[0].path))
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    _series(axes[0], "loss", [(start, one) for start, run, one in every if one in _losses(run)], runs)
    if others:
        _series(axes[1], "other outputs", [(start, one) for start, _, one in others], runs)
    _rates(axes[-1], [(start, one) for start, _, one in every if one.name == RATE])
    axes[-1].set(xlabel="iteration")
    write_plot(figure, path, "caffelint log")


def _all(run: Logged) -> list[Series]:
    """What is drawn of a run, its smoothed loss first."""
    found = [run.loss] if run.loss else []
    return found + [one for one in run.series.values() if one not in found]


def _losses(run: Logged) -> list[Series]:
    """The smoothed loss, and the losses of the nets by themselves where they are several, or of a test net."""
    found = [run.loss] if run.loss else []
    trained = [one for one in run.outputs(TRAIN) if one.weight]
    found += [one for one in trained if len(trained) > 1 and one not in found]
    return found + [one for one in run.outputs(TEST) if one.weight]


def _series(axis: Any, title: str, lines: Sequence[tuple[str, Series]], runs: Sequence[Logged]) -> None:
    """lines: what the name of each begins with, and its numbers."""
    from matplotlib import colormaps

    names = list(dict.fromkeys(start + _name(one) for start, one in lines))[:MOST_LINES]
    every: list[float] = []
    lowest = math.inf
    labelled: set[str] = set()
    for start, one in lines:
        name = start + _name(one)
        if name not in names:
            continue
        at, values = [point.iteration for point in one.points], [drawable(point.value) for point in one.points]
        every += [abs(value) for value in values if math.isfinite(value) and value]
        lowest = min([lowest, *(value for value in values if not math.isnan(value))])
        color = colormaps["tab20" if len(names) > 10 else "tab10"](names.index(name))
        style = "--" if one.phase == TEST else "-"
        label = name if name not in labelled else None
        labelled.add(name)
        marker = "." if len(values) < 200 else ""
        axis.plot(at, values, linestyle=style, marker=marker, linewidth=1, color=color, label=label)
    for number, run in enumerate(runs):
        bad = [series.bad.iteration for series in run.series.values() if series.bad]
        if bad:
            axis.axvline(min(bad), color=_BAD, linestyle="--", linewidth=1)
        if number and run.loss and run.loss.points:
            axis.axvline(run.loss.points[0].iteration, color="gray", linestyle=":", linewidth=1)
    if every and min(every) > 0 and (max(every) > 100 * min(every) or max(every) > 10 * median(every)):
        if lowest > 0:
            axis.set_yscale("log")
        else:
            axis.set_yscale("symlog", linthresh=max(min(every), 1e-6))
    axis.set(title=title)
    axis.grid(alpha=0.3)
    if labelled:
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))


def _rates(axis: Any, lines: Sequence[tuple[str, Series]]) -> None:
    from matplotlib import colormaps

    known: list[float] = []
    starts = list(dict.fromkeys(start for start, _ in lines))
    for start, rates in lines:
        points = rates.finite
        color = colormaps["tab10"](starts.index(start)) if len(starts) > 1 else _GOOD
        label = start.rstrip(": ") if start and start not in [one.get_gid() for one in axis.lines] else None
        values = [drawable(point.value) for point in points]
        known += [value for value in values if value > 0]
        axis.step([point.iteration for point in points], values, where="post", color=color, label=label, gid=start)
    if known and max(known) > 100 * min(known):
        axis.set_yscale("log")
    elif known:
        axis.set_ylim(0, 1.2 * max(known))
    axis.set(title="learning rate", ylabel="rate")
    axis.grid(alpha=0.3)
    if len(starts) > 1:
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))


def _name(series: Series) -> str:
    return plain(f"{series.phase} {series.name}" if series.name else "train, smoothed")
