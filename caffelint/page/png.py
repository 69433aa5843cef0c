"""A drawing as PNG, by matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from caffelint.page.drawing import EDGE, HEAD, LINE, PADDING, STUB, Drawing, size_of
from caffelint.page.lines import route
from caffelint.page.marks import Marks, worst_of
from caffelint.page.palette import LIGHT
from caffelint.text.pictures import new_figure, plain, write_plot

_UNITS = 72.0
"""In an inch."""
_LARGEST = 60_000.0
"""Pixels of a side; matplotlib takes less than 65,536."""
_FONT = 10.5
_MARKERS = {"error": "8", "warning": "^", "info": "o"}


def paint(drawing: Drawing, path: Path, title: str, marks: Marks) -> None:
    """Write the picture. Raises ImportError without matplotlib, OSError if it cannot be written."""
    width, height = drawing.layout.width + 2 * EDGE, drawing.layout.height + 2 * EDGE
    figure = new_figure(figsize=(width / _UNITS, height / _UNITS), dpi=min(2.0, _LARGEST / max(width, height)) * _UNITS)
    figure.set_layout_engine("none")
    figure.set_facecolor(LIGHT["ground"])
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    _container(axes, drawing, EDGE, EDGE, marks)
    write_plot(figure, path, title)


def _container(axes: Any, drawing: Drawing, left: float, top: float, marks: Marks) -> None:
    from matplotlib.patches import PathPatch, Rectangle
    from matplotlib.path import Path as Curve

    codes = {"M": [Curve.MOVETO], "L": [Curve.LINETO], "C": [Curve.CURVE4] * 3}
    for number in range(len(drawing.lines)):
        steps = route(drawing, number)
        points = [(left + x, top + y) for step in steps for x, y in zip(*[iter(step.values)] * 2, strict=True)]
        curve = Curve(points, [code for step in steps for code in codes[step.letter]])
        severity = marks.on_line(drawing.lines[number])
        width, style = (3.0, "--") if severity else (1.2, "-")
        color = LIGHT[severity or "line"]
        axes.add_patch(PathPatch(curve, fill=False, edgecolor=color, linewidth=width, linestyle=style))
    for box, (x, y) in zip(drawing.boxes, drawing.layout.centres, strict=True):
        width, height = size_of(drawing, box)
        at, down = left + x - width / 2, top + y - height / 2
        if box.enters:
            axes.plot([left + x, left + x], [down - STUB, down], color=LIGHT["line"], linewidth=1.2)
        is_module = box.inner is not None
        edge = LIGHT["module" if is_module else "border"]
        ground = LIGHT["ground" if is_module and drawing.is_open else "surface"]
        style = "--" if is_module else "-"
        axes.add_patch(Rectangle((at, down), width, height, facecolor=ground, edgecolor=edge, linestyle=style))
        axes.add_patch(Rectangle((at, down), 5, height, facecolor=LIGHT[box.kind]))
        for line, (role, text) in enumerate(box.words.lines):
            if drawing.is_open and is_module and role in ("more", "foot"):
                continue
            weight, color = ("bold", "text") if role == "name" else ("normal", "faint")
            place = (at + PADDING, down + PADDING + 8 + line * LINE)
            axes.text(*place, plain(text), fontsize=_FONT, weight=weight, color=LIGHT[color])
        found = marks.on(box)
        worst = worst_of(found)
        if worst is not None:
            axes.plot(at + width, down, _MARKERS[worst], markersize=16, color=LIGHT[worst], markeredgecolor="white")
            number_of = str(sum(found.values()))
            axes.text(at + width, down, number_of, fontsize=8, color="white", weight="bold", ha="center", va="center")
        if drawing.is_open and box.inner is not None:
            inner = at + (width - box.inner.layout.width) / 2
            _container(axes, box.inner, inner, down + HEAD, marks)
