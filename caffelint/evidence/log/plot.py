"""A plot of logs: losses, what the test nets give, and the rate, over the iterations; runs one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caffelint.evidence.log.values import RATE, TEST, TRAIN, Logged, Series, TrainingLog
from caffelint.text.pictures import MOST_LINES, drawable, new_figure, plain, write_plot

_BAD, _GOOD = "tab:red", "tab:green"


def draw(logs: Sequence[TrainingLog], path: Path) -> None:
    """Write the plot. Raises ImportError without matplotlib, OSError if it cannot be written."""
    runs = [run for log in logs for run in log.runs if run.series]
    others = any(series.weight is None for run in runs for phase in (TRAIN, TEST) for series in run.outputs(phase))
    rows = 2 + others
    figure = new_figure(figsize=(11, 3.2 * rows + 1))
    figure.suptitle(plain(", ".join(log.path for log in logs)))
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
    _series(axes[0], "loss", [(run, one) for run in runs for one in _losses(run)], runs)
    if others:
        shown = [(run, one) for run in runs for phase in (TRAIN, TEST) for one in run.outputs(phase)]
        _series(axes[1], "other outputs", [(run, one) for run, one in shown if one.weight is None], runs)
    _rates(axes[-1], runs)
    axes[-1].set(xlabel="iteration")
    write_plot(figure, path, "caffelint log")


def _losses(run: Logged) -> list[Series]:
    """The smoothed loss, and the losses of the nets by themselves where they are several, or of a test net."""
    found = [run.loss] if run.loss else []
    trained = [one for one in run.outputs(TRAIN) if one.weight]
    found += [one for one in trained if len(trained) > 1 and one not in found]
    return found + [one for one in run.outputs(TEST) if one.weight]


def _series(axis: Any, title: str, lines: Sequence[tuple[Logged, Series]], runs: Sequence[Logged]) -> None:
    from matplotlib import colormaps

    names = list(dict.fromkeys(_name(one) for _, one in lines))[:MOST_LINES]
    every: list[float] = []
    labelled: set[str] = set()
    for _, one in lines:
        name = _name(one)
        if name not in names:
            continue
        at, values = [point.iteration for point in one.points], [drawable(point.value) for point in one.points]
        every += [abs(value) for value in values if math.isfinite(value) and value]
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
    if every and min(every) > 0 and max(every) > 100 * min(every):
        axis.set_yscale("symlog", linthresh=max(min(every), 1e-6))
    axis.set(title=title)
    axis.grid(alpha=0.3)
    if labelled:
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))


def _rates(axis: Any, runs: Sequence[Logged]) -> None:
    known: list[float] = []
    for run in runs:
        rates = run.of(TRAIN, RATE)
        points = rates.finite if rates else []
        values = [drawable(point.value) for point in points]
        known += [value for value in values if value > 0]
        axis.step([point.iteration for point in points], values, where="post", color=_GOOD)
    if known and max(known) > 100 * min(known):
        axis.set_yscale("log")
    elif known:
        axis.set_ylim(0, 1.2 * max(known))
    axis.set(title="learning rate", ylabel="rate")
    axis.grid(alpha=0.3)


def _name(series: Series) -> str:
    return plain(f"{series.phase} {series.name}" if series.name else "train, smoothed")
