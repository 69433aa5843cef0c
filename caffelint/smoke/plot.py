"""A plot of a run: loss, rate, and the scale of activations, gradients and updates over the iterations.

For a search for a rate: the loss at the end of each run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caffelint.smoke.events import (
    BLOB,
    CHANGE,
    DATA,
    DIFF,
    PARAM,
    Event,
    Iteration,
    NonFinite,
    RateFound,
    Statistics,
)
from caffelint.text.pictures import MOST_LINES, drawable, new_figure, plain, write_plot

_ROWS = (
    ("activations", BLOB, DATA, "root mean square"),
    ("gradients of blobs", BLOB, DIFF, "root mean square"),
    ("update / weights (0.001 is usual)", PARAM, CHANGE, "ratio"),
)
_SPLIT = re.compile(r"_\d+_split$")
"""Layers that Caffe inserts."""
_BAD, _GOOD = "tab:red", "tab:green"


def draw(events: Sequence[Event], path: Path, title: str) -> None:
    """Write the plot. Raises ImportError without matplotlib, OSError if it cannot be written."""
    found = next((event for event in events if isinstance(event, RateFound)), None)
    figure = new_figure(figsize=(11, 5 if found else 14))
    figure.suptitle(plain(title))
    if found:
        _rates(figure.subplots(), found)
    else:
        _run(figure.subplots(2 + len(_ROWS), 1, sharex=True), events)
    write_plot(figure, path, title)


def _run(axes: Sequence[Any], events: Sequence[Event]) -> None:
    _loss_and_rate(axes[0], axes[1], [event for event in events if isinstance(event, Iteration)])
    statistics = [event for event in events if isinstance(event, Statistics)]
    for axis, (name, kind, part, label) in zip(axes[2:], _ROWS, strict=True):
        axis.set(title=name, ylabel=label, yscale="log")
        _scales(axis, statistics, kind, part)
    bad = next((event for event in events if isinstance(event, NonFinite)), None)
    last = max((event.iteration for event in events if isinstance(event, Iteration)), default=0)
    for axis in axes:
        axis.grid(alpha=0.3)
        if bad:
            axis.axvline(bad.iteration, color=_BAD, linestyle="--", linewidth=1)
    if bad:
        what = f'{bad.where} of "{plain(bad.layer)}" is not finite' if bad.layer else "the rate is not finite"
        side = "right" if bad.iteration > last / 2 else "left"
        at = (bad.iteration, 0.9)
        axes[0].annotate(f" {what} ", at, xycoords=("data", "axes fraction"), color=_BAD, fontsize=9, ha=side)
    axes[-1].set(xlabel="iteration (-1: the pass at rate 0)")


def _rates(axis: Any, found: RateFound) -> None:
    """Trials, those that broke at the upper edge."""
    losses = [loss for _, _, loss in found.trials if math.isfinite(loss)]
    top = max(losses, default=1.0)
    stayed = sorted((rate, loss) for rate, finite, loss in found.trials if finite)
    axis.plot([rate for rate, _ in stayed], [loss for _, loss in stayed], marker="o", color="tab:blue", label="finite")
    cross: dict[str, Any] = {"linestyle": "", "marker": "x", "color": _BAD}
    grew = [(rate, loss) for rate, finite, loss in found.trials if not finite and math.isfinite(loss)]
    if grew:
        axis.plot(*zip(*grew, strict=True), **cross, label="grew")
    broke = [rate for rate, finite, loss in found.trials if not finite and not math.isfinite(loss)]
    if broke:  # without a loss: at the upper edge, whatever the axis shows
        axis.plot(broke, [0.97] * len(broke), **cross, label="broke (no loss)", transform=axis.get_xaxis_transform())
    if found.largest:
        axis.axvline(found.largest, color=_BAD, linestyle="--", linewidth=1, label=f"largest: {found.largest:g}")
    if found.suggested:
        axis.axvline(found.suggested, color=_GOOD, linestyle="--", linewidth=1, label=f"suggested: {found.suggested:g}")
    axis.set(xscale="log", xlabel="base_lr", ylabel="loss at the end", title="loss at the end of each run")
    if losses and min(losses) > 0 and top > 10 * min(losses):
        axis.set_yscale("log")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)


def _loss_and_rate(loss: Any, rate: Any, iterations: Sequence[Iteration]) -> None:
    at = [event.iteration for event in iterations]
    values = [drawable(event.loss) for event in iterations]
    finite = [abs(value) for value in values if math.isfinite(value) and value]
    loss.plot(at, values, marker=".", color="tab:blue")
    if finite and max(finite) > 100 * min(finite):
        loss.set_yscale("symlog", linthresh=max(min(finite), 1e-6))
    loss.set(title="loss", ylabel="loss")
    trained = [event for event in iterations if event.iteration >= 0]
    rates = [drawable(event.rate) for event in trained]
    rate.step([event.iteration for event in trained], rates, where="mid", color=_GOOD)
    rate.set(title="learning rate", ylabel="rate")
    known = [value for value in rates if math.isfinite(value) and value > 0]
    if known and max(known) > 100 * min(known):
        rate.set_yscale("log")
    elif known:
        rate.set_ylim(0, 1.2 * max(known))


def _scales(axis: Any, statistics: Sequence[Statistics], kind: str, part: str) -> None:
    """One line for each blob, by the layer that wrote it; of parameters, the weights alone."""
    lines: dict[tuple[str, str], list[tuple[int, float]]] = {}
    weights: dict[str, float] = {}
    for event in sorted(statistics, key=lambda event: (event.iteration, event.part == DATA)):
        size = math.hypot(event.mean, event.std)
        if event.kind == PARAM and event.part == DATA and event.name == "0":
            weights[event.layer] = size  # after the update of the same iteration, before that of the next
        if event.kind != kind or event.part != part or (kind == PARAM and event.name != "0"):
            continue
        if part == CHANGE:
            size /= weights.get(event.layer) or math.nan
        if 0 < size < math.inf and not _SPLIT.search(event.layer):
            lines.setdefault((event.layer, event.name), []).append((event.iteration, size))
    layers = [layer for layer, _ in lines]
    shown = _evenly(list(lines))
    for number, key in enumerate(shown):
        layer, blob = key
        label = plain(layer if layers.count(layer) == 1 else f"{layer}: {blob}")
        at, sizes = zip(*sorted(lines[key]), strict=True)
        axis.plot(at, sizes, marker=".", label=label, color=_color(number, len(shown)), linewidth=1)
    if shown:
        every = [size for points in lines.values() for _, size in points]
        low, high = min(every), max(every)
        axis.set_ylim(low / 2, high * 2)
        if high < 10 * low:
            axis.set_ylim(low / 10, high * 10)
        rest = f" ({len(shown)} of {len(lines)})" if len(lines) > len(shown) else ""
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), title=rest or None, title_fontsize=7)


def _color(number: int, count: int) -> Any:
    """From the first layer to the last through the spectrum, so that depth can be seen."""
    from matplotlib import colormaps

    return colormaps["turbo"](0.05 + 0.9 * number / max(count - 1, 1))


def _evenly(names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """At most so many, from the first to the last."""
    if len(names) <= MOST_LINES:
        return names
    step = (len(names) - 1) / (MOST_LINES - 1)
    return [names[round(number * step)] for number in range(MOST_LINES)]
