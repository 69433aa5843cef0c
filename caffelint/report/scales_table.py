"""The table, the JSON and the plot of `caffelint scales`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from caffelint.caffe.layers.data import DataLayer
from caffelint.lint.asked_shape import asked_shape
from caffelint.numerics.scales import ALIKE, FAST, HUGE, NO_GRADIENT, TINY, Rates, Row, Scales
from caffelint.report.fit import Column, hanging, table
from caffelint.report.words import painter
from caffelint.text.visible import visible

_INDENT = "  "
_COLUMNS = (
    Column("layer"),
    Column("type", goes=1),
    Column("top", goes=3),
    Column("mean", is_number=True, goes=2),
    Column("size", is_number=True),
    Column("gradient", is_number=True),
    Column("weights", is_number=True, goes=4),
    Column("update / weight", is_number=True),
    Column(""),
)
_RATES = (
    Column("solver"),
    Column("largest rate", is_number=True),
    Column("8 of 10 nets", is_number=True),
    Column("suggested", is_number=True),
)
_WORDS = {
    HUGE: "values very large",
    TINY: "values very small",
    ALIKE: "samples look alike",
    FAST: "update as large as the weights",
    NO_GRADIENT: "no gradient",
}


def number(value: float | None) -> str:
    return "?" if value is None else f"{value:.3g}"


def _mean(row: Row) -> str:
    """0 where only what sums leave of it is not."""
    none = row.mean is not None and row.size is not None and abs(row.mean) < 1e-9 * row.size
    return "0" if none else number(row.mean)


def write(found: Scales, title: str, out: TextIO, color: bool = False, width: int | None = None) -> None:
    paint = painter(color)
    at = "" if found.rate is None else f", rate {found.rate:g}"
    head = f"{paint(visible(title), 'bold')}, before the first update{at}"
    out.writelines(f"{part}\n" for part in hanging(head, width))
    if any(row.size is not None for row in found.rows):
        _write(_COLUMNS, [_cells(row) for row in found.rows], out, color, width)
    for line in lines(found):
        out.writelines(f"{part}\n" for part in hanging(f"{_INDENT}{visible(line)}", width))


def _write(heads: Sequence[Column], rows: Sequence[Sequence[str]], out: TextIO, color: bool, width: int | None) -> None:
    head, *rest = table(heads, rows, width and width - len(_INDENT))
    out.write(_INDENT + painter(color)(head, "dim") + "\n")
    out.writelines(f"{_INDENT}{line}\n" for line in rest)


def lines(found: Scales) -> list[str]:
    """What the table comes to."""
    told = []
    for one in found.losses:
        against = f"; the best constant has {number(one.guess)}" if one.guess is not None else ""
        told.append(f'first loss "{one.layer.name}": {number(one.value)}{against}')
    if found.worst is not None and found.worst.ratio and found.rate is not None:
        name = found.worst.param.layer.name
        told.append(
            f'largest update, once small weights have grown: "{name}", {number(found.worst.ratio)} of its weights;'
            f" at a rate of {number(found.rate / found.worst.ratio)} it is as large as they are"
        )
    if found.assumed:
        told.append("the scale of the data is guessed; --data measures it")
    if found.unknown:
        names = ", ".join(f'{layer.type} "{layer.name}"' for layer in found.unknown[:3])
        more = f" and {len(found.unknown) - 3} more" if len(found.unknown) > 3 else ""
        told.append(f"not known, and so neither is what depends on it: {names}{more}")
    if hint := asked_for(found):
        told.append(hint)
    return told


def asked_for(found: Scales) -> str:
    """What would tell more of the data: its shape, or a run of the code that makes it; empty if nothing would."""
    for layer in found.unknown:
        if layer.bottoms or not layer.tops:
            continue
        if layer.type == "Python":
            return f'"{layer.tops[0].name}" is made by code that caffelint scales does not run; caffelint smoke runs it'
        if isinstance(layer, DataLayer) and layer.tops[0].shape is None:
            shape, remark = asked_shape(layer.partial_image())
            top = layer.tops[0].name
            return (
                f'the shape of "{top}" is not in the text; give --input-shape {top}={shape}{remark}, or --data to'
                " read it from the data"
            )
    return ""


def _cells(row: Row) -> tuple[str, ...]:
    of_weights = (number(row.weights), number(row.update)) if row.weights is not None else ("", "")
    back = number(row.gradient) if row.layer.need_backward or row.gradient else ""
    names = (visible(row.layer.name), visible(row.layer.type), visible(row.blob))
    odd = ", ".join(_WORDS[one] for one in row.odd)
    return (*names, _mean(row), number(row.size), back, *of_weights, odd)


def as_json(found: Scales, file: str) -> dict[str, Any]:
    worst = found.worst
    return {
        "file": file,
        "rate": found.rate,
        "assumed": found.assumed,
        "rows": [
            {
                "layer": row.layer.name,
                "type": row.layer.type,
                "top": row.blob,
                "shape": list(row.shape) if row.shape is not None else None,
                "mean": row.mean,
                "size": row.size,
                "gradient": row.gradient,
                "weights": row.weights,
                "update": row.update,
                "odd": list(row.odd),
            }
            for row in found.rows
        ],
        "losses": [{"layer": one.layer.name, "value": one.value, "constant": one.guess} for one in found.losses],
        "largest_update": {"layer": worst.param.layer.name, "update": worst.ratio} if worst else None,
        "unknown": [layer.name for layer in found.unknown],
    }


def write_rates(found: Sequence[Rates], out: TextIO, color: bool = False, width: int | None = None) -> None:
    """The table of `caffelint lr --suggest`."""
    rows = [
        (one.type, number(one.largest), f"{number(one.low)} to {number(one.high)}", number(one.suggested))
        for one in found
    ]
    _write(_RATES, rows, out, color, width)


def draw(found: Scales, path: Path, title: str) -> None:
    """Bars by layer on a log scale. Raises ImportError without matplotlib, OSError if it cannot be written."""
    from caffelint.text.pictures import new_figure, plain, write_plot

    rows = [row for row in found.rows if row.size is not None]
    steps = [row for row in found.rows if row.update is not None]
    panels = [
        ("values (root mean square)", [(row, row.size) for row in rows]),
        ("gradients (root mean square)", [(row, row.gradient) for row in rows]),
        ("update / weight", [(row, row.update) for row in steps]),
    ]
    panels = [(name, bars) for name, bars in panels if any(value for _, value in bars)]
    width = min(max(8.0, 0.2 * len(rows)), 40.0)
    figure = new_figure(figsize=(width, 2.6 * max(len(panels), 1) + 1.5))
    figure.suptitle(plain(title))
    for axes, (name, bars) in zip(figure.subplots(max(len(panels), 1), 1, squeeze=False)[:, 0], panels, strict=False):
        shown = [(row, value) for row, value in bars if value and math.isfinite(value)]
        colors = ["tab:red" if row.odd else "tab:blue" for row, _ in shown]
        axes.bar(range(len(shown)), [value for _, value in shown], color=colors)
        axes.set(yscale="log", ylabel=name)
        if len(shown) <= 120:
            axes.set_xticks(range(len(shown)), [plain(row.layer.name) for row, _ in shown], rotation=90, fontsize=6)
        axes.grid(axis="y", alpha=0.3)
    write_plot(figure, path, title)
