"""The way of a line: from the bottom of a box to the top of another, straight through rows, in a curve between them."""

from __future__ import annotations

from typing import NamedTuple

from caffelint.page.drawing import Drawing, size_of


class Step(NamedTuple):
    """As in a path of SVG: `M` begins at x and y, `L` is straight, `C` a curve by two points and its end."""

    letter: str
    values: tuple[float, ...]


def route(drawing: Drawing, number: int) -> list[Step]:
    """The steps of a line of the drawing."""
    line, laid = drawing.lines[number], drawing.layout
    source, target = drawing.boxes[line.source], drawing.boxes[line.target]
    x, middle = laid.centres[line.source]
    y = laid.rows[laid.row[line.source]][1]
    steps = [Step("M", (x, middle + size_of(drawing, source)[1] / 2)), Step("L", (x, y))]
    for one in laid.passes[number]:
        steps.append(_curve(x, y, one.x, laid.rows[one.first][0]))
        x, y = one.x, laid.rows[one.last][1]
        steps.append(Step("L", (x, y)))
    end, middle = laid.centres[line.target]
    steps.append(_curve(x, y, end, laid.rows[laid.row[line.target]][0]))
    steps.append(Step("L", (end, middle - size_of(drawing, target)[1] / 2)))
    return steps


def _curve(x: float, y: float, end_x: float, end_y: float) -> Step:
    if abs(x - end_x) < 0.1:
        return Step("L", (end_x, end_y))
    middle = (y + end_y) / 2
    return Step("C", (x, middle, end_x, middle, end_x, end_y))
