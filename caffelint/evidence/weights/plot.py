"""A plot of a file of weights: how large each layer's are, and a histogram of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from caffelint.caffe.weights.stored import StoredBlob, Weights
from caffelint.evidence.weights.statistics import Statistics, statistics
from caffelint.text.pictures import drawable, new_figure, plain, span, write_plot

_COLUMNS = 5
_MOST = 40
"""Histograms; of a net with more layers those with the most weights are shown."""
_BINS = 80
_FEWEST_BINS = 10
_SAMPLED = 1_000_000
_FARTHEST = 1e150
"""A histogram takes squares and differences of its ends."""
_SOUND, _BAD = "tab:blue", "tab:red"


class _Shown(NamedTuple):
    name: str
    blob: StoredBlob
    found: Statistics


def draw(models: Sequence[Weights], path: Path) -> None:
    """Write the plot. Raises ImportError without matplotlib, OSError if it cannot be written."""
    shown = [one for weights in models for one in _blobs(weights)]
    most = sorted(shown, key=lambda one: -one.blob.count)[:_MOST]
    drawn = [one for one in shown if one in most]
    rows = math.ceil(len(drawn) / _COLUMNS)
    figure = new_figure(figsize=(15, 3.5 + 2.1 * rows))
    figure.suptitle(plain(", ".join(weights.path for weights in models)))
    grid = figure.add_gridspec(1 + rows, _COLUMNS, height_ratios=[1.6] + [1] * rows)
    _sizes(figure.add_subplot(grid[0, :]), shown)
    for number, one in enumerate(drawn):
        _histogram(figure.add_subplot(grid[1 + number // _COLUMNS, number % _COLUMNS]), one)
    if len(drawn) < len(shown):
        figure.supxlabel(f"histograms of the {len(drawn)} layers with the most weights, of {len(shown)}", fontsize=9)
    write_plot(figure, path, "caffelint weights")


def _blobs(weights: Weights) -> list[_Shown]:
    """The first blob of each layer."""
    found = []
    for layer in weights.trained:
        blob = layer.blobs.get(0)
        if blob is not None and not blob.problem and (facts := statistics(blob)) is not None:
            found.append(_Shown(layer.name, blob, facts))
    return found


def _sizes(axis: Any, shown: Sequence[_Shown]) -> None:
    at = range(len(shown))
    axis.plot(at, [drawable(one.found.largest) for one in shown], "v", markersize=4, label="largest")
    axis.plot(at, [drawable(one.found.rms) for one in shown], ".-", linewidth=1, label="root mean square")
    axis.set_yscale("log")
    for place, one in enumerate(shown):
        if one.found.bad:
            axis.axvline(place, color=_BAD, linewidth=1)
    step = max(1, len(shown) // 30)
    names = [plain(one.name) for one in shown[::step]]
    axis.set_xticks(list(at)[::step], names, rotation=60, ha="right", fontsize=7)
    axis.set_title("size of the weights (red: nan or infinite)", fontsize=10)
    axis.grid(alpha=0.3)
    if shown:
        axis.legend(fontsize=8)


def _histogram(axis: Any, one: _Shown) -> None:
    import numpy as np

    found = one.found
    step = max(1, one.blob.count // _SAMPLED)
    values: Any = np.array(one.blob.values()[::step], np.float64)  # float32 has no bins between two neighbours
    values = np.clip(values[np.isfinite(values)], -_FARTHEST, _FARTHEST)
    title = f"{plain(one.name)}  {'x'.join(map(str, one.blob.shape))}"
    axis.set_title(title, fontsize=7, color=_BAD if found.bad else "black")
    axis.tick_params(which="both", labelsize=6)
    axis.ticklabel_format(axis="x", style="sci", scilimits=(-2, 3))
    axis.xaxis.get_offset_text().set_fontsize(6)
    note = f"{found.bad} not finite" if found.bad else ""
    if found.filters and found.filters.dead:
        note = f"{note} {len(found.filters.dead)} of {found.filters.number} filters dead".strip()
    if len(values) and found.low < found.high:
        bins = min(_BINS, max(_FEWEST_BINS, int(len(values) ** 0.5)))
        axis.hist(
            values, bins=bins, range=span(values.min(), values.max()), color=_BAD if found.bad else _SOUND, log=True
        )
        axis.set_ylim(bottom=0.7)
    else:
        note = note or f"all {found.low:.4g}"
        axis.set_facecolor("whitesmoke")
    if note:
        axis.text(0.02, 0.97, note, transform=axis.transAxes, fontsize=7, va="top", color=_BAD)
