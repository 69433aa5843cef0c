"""A picture of a run: loss, rate, and the scale of activations, gradients and updates over the iterations."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caffelint.smoke.events import BLOB, CHANGE, DATA, DIFF, PARAM, Event, Iteration, NonFinite, Statistics

SUFFIXES = (".png", ".svg", ".html")
_MOST_LINES = 12
_ROWS = (
    ("activations", BLOB, DATA, "root mean square"),
    ("gradients of blobs", BLOB, DIFF, "root mean square"),
    ("update / weights", PARAM, CHANGE, "ratio"),
)


def draw(events: Sequence[Event], path: Path, title: str) -> None:
    """Write the picture. Raises ImportError without matplotlib, OSError where it cannot be written."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 13), layout="constrained")
    axes = figure.subplots(2 + len(_ROWS), 1, sharex=True)
    figure.suptitle(title)
    _loss_and_rate(axes[0], axes[1], [event for event in events if isinstance(event, Iteration)])
    statistics = [event for event in events if isinstance(event, Statistics)]
    for axis, (name, kind, part, label) in zip(axes[2:], _ROWS, strict=True):
        _scales(axis, statistics, kind, part)
        axis.set(title=name, ylabel=label, yscale="log")
    bad = next((event for event in events if isinstance(event, NonFinite)), None)
    for axis in axes:
        axis.grid(alpha=0.3)
        if bad:
            axis.axvline(bad.iteration, color="tab:red", linestyle="--", linewidth=1)
    if bad:
        what = f'{bad.where} of "{bad.layer}" is not finite' if bad.layer else "the rate is not finite"
        axes[0].annotate(
            f" {what}", (bad.iteration, 0.9), xycoords=("data", "axes fraction"), color="tab:red", fontsize=9
        )
    axes[-1].set(xlabel="iteration (-1: the pass at rate 0)")
    if path.suffix.lower() == ".html":
        picture = io.StringIO()
        figure.savefig(picture, format="svg")
        svg = picture.getvalue()
        head = f"<!doctype html><meta charset=utf-8><title>{_escaped(title)}</title>"
        path.write_text(head + svg[svg.index("<svg") :], "utf-8")
    else:
        figure.savefig(path)


def _loss_and_rate(loss: Any, rate: Any, iterations: Sequence[Iteration]) -> None:
    at = [event.iteration for event in iterations]
    values = [event.loss for event in iterations]
    finite = [abs(value) for value in values if math.isfinite(value) and value]
    loss.plot(at, values, marker=".", color="tab:blue")
    if finite and max(finite) > 100 * min(finite):
        loss.set_yscale("symlog", linthresh=max(min(finite), 1e-6))
    loss.set(title="loss", ylabel="loss")
    trained = [event for event in iterations if event.iteration >= 0]
    rate.step([event.iteration for event in trained], [event.rate for event in trained], where="mid", color="tab:green")
    rate.set(title="learning rate", ylabel="rate")


def _scales(axis: Any, statistics: Sequence[Statistics], kind: str, part: str) -> None:
    lines: dict[str, list[tuple[int, float]]] = {}
    weights = {
        (event.iteration, event.layer, event.name): math.hypot(event.mean, event.std)
        for event in statistics
        if event.kind == PARAM and event.part == DATA
    }
    for event in statistics:
        if event.kind != kind or event.part != part or (kind == PARAM and event.name != "0"):
            continue
        size = math.hypot(event.mean, event.std)
        if part == CHANGE:
            size /= weights.get((event.iteration, event.layer, event.name)) or math.nan
        if size > 0:
            lines.setdefault(event.layer, []).append((event.iteration, size))
    shown = _evenly(list(lines))
    for number, layer in enumerate(shown):
        points = sorted(lines[layer])
        color = f"C{number % 10}"
        axis.plot([x for x, _ in points], [y for _, y in points], marker=".", label=layer, color=color, linewidth=1)
    if shown:
        rest = f" ({len(shown)} of {len(lines)} layers)" if len(lines) > len(shown) else ""
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), title=rest or None, title_fontsize=7)


def _evenly(names: list[str]) -> list[str]:
    """At most so many, from the first to the last."""
    if len(names) <= _MOST_LINES:
        return names
    step = (len(names) - 1) / (_MOST_LINES - 1)
    return [names[round(number * step)] for number in range(_MOST_LINES)]


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
