"""A drawing as SVG: within a page, or as a picture of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from caffelint.lint.finding import SEVERITIES
from caffelint.page.assets import asset
from caffelint.page.drawing import HEAD, LINE, MARGIN, PADDING, Box, Drawing, marked, open_size
from caffelint.page.layout import Point
from caffelint.page.markup import Markup, element, joined
from caffelint.page.palette import variables
from caffelint.report.words import count

Counts = Mapping[int, Counter[str]]
"""By index of the layer, how many findings of each severity it has."""
_EDGE = 20


def picture(drawing: Drawing, title: str, counts: Counts) -> str:
    """An SVG of its own."""
    width, height = drawing.layout.width + 2 * _EDGE, drawing.layout.height + 2 * _EDGE
    return '<?xml version="1.0" encoding="utf-8"?>\n' + element(
        "svg",
        element("metadata", "caffelint"),
        element("title", title),
        element("style", Markup(variables() + asset("net.css"))),
        element("rect", class_="ground", width="100%", height="100%"),
        element("g", _container(drawing, counts), transform=f"translate({_EDGE} {_EDGE})"),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
    )


def in_page(drawing: Drawing, counts: Counts, name: str, label: str) -> Markup:
    """The drawing of a page, whose script opens its modules. name: what all its ids begin with."""
    width, height = drawing.layout.width + 2 * _EDGE, drawing.layout.height + 2 * _EDGE
    return element(
        "svg",
        element("g", _container(drawing, counts, name), transform=f"translate({_EDGE} {_EDGE})"),
        class_="net",
        viewBox=f"0 0 {width:g} {height:g}",
        role="group",
        aria_label=label,
        data_net=name,
    )


def _container(drawing: Drawing, counts: Counts, name: str = "") -> Markup:
    lines = [_line(drawing, number) for number in range(len(drawing.lines))]
    boxes = [_box(drawing, number, counts, name) for number in range(len(drawing.boxes))]
    return joined(element("g", *lines, class_="lines"), *boxes)


def size_of(drawing: Drawing, box: Box) -> Point:
    """Its width and height in this drawing."""
    return open_size(box) if drawing.is_open else (box.width, box.height)


def _box(drawing: Drawing, number: int, counts: Counts, name: str) -> Markup:
    """name: empty in a picture, which nobody can press."""
    box, (x, y) = drawing.boxes[number], drawing.layout.centres[number]
    width, height = size_of(drawing, box)
    found = marked(box, counts)
    is_open = drawing.is_open and box.inner is not None
    lines = [
        element("text", line, class_=role, x=PADDING + 2, y=f"{at * LINE + PADDING + 8:g}")
        for at, (role, line) in enumerate(box.words.lines)
    ]
    says = f"{', '.join(line for _, line in box.words.lines)}{_said(found)}"
    card = element(
        "g",
        element("rect", class_="body", width=f"{width:g}", height=f"{height:g}", rx=5),
        element("rect", class_="stripe", width=5, height=f"{height:g}", rx=2),
        *lines,
        _mark(found, width),
        class_="card",
        id=f"{name}-{box.id}" if name else None,
        role="button" if name else None,
        tabindex=-1 if name else None,
        aria_label=says if name else None,
        aria_expanded="false" if name and box.inner is not None else None,
    )
    inner = None
    if box.inner is not None and (name or is_open):
        shift = f"translate({(width - box.inner.layout.width) / 2 if is_open else MARGIN:g} {HEAD})"
        inner = element("g", _container(box.inner, counts, name), class_="inner", transform=shift)
    return element(
        "g",
        card,
        inner,
        class_=f"box {box.kind}{' open' * is_open}",
        transform=f"translate({x - width / 2:g} {y - height / 2:g})",
    )


def _said(found: Counter[str]) -> str:
    return "".join(f", {count(found[severity], severity)}" for severity in SEVERITIES if found[severity])


def _mark(found: Counter[str], width: float) -> Markup | None:
    """The worst severity, told by shape and colour, and the number of findings."""
    worst = next((severity for severity in SEVERITIES if found[severity]), None)
    if worst is None:
        return None
    shapes = {"error": "M-6 -11H6L11 -6V6L6 11H-6L-11 6V-6Z", "warning": "M0 -12L12 10H-12Z"}
    number = sum(found.values())
    return element(
        "g",
        element("path", d=shapes.get(worst, "M0 -10A10 10 0 1 1 0 10A10 10 0 1 1 0 -10Z")),
        element("text", str(number) if number < 100 else "99+", y=8 if worst == "warning" else 4),
        class_=f"mark {worst}",
        transform=f"translate({width:g} 0)",
    )


def _line(drawing: Drawing, number: int) -> Markup:
    line = drawing.lines[number]
    blobs = ", ".join(line.blobs[:4]) + ", …" * (len(line.blobs) > 4)
    return element("path", element("title", blobs), d=_path(drawing, number), class_="line")


def _path(drawing: Drawing, number: int) -> str:
    """From the bottom of a box to the top of another: straight through rows, and in a curve between them."""
    line, laid = drawing.lines[number], drawing.layout
    x, y = laid.centres[line.source]
    y += size_of(drawing, drawing.boxes[line.source])[1] / 2
    found = [f"M{x:g} {y:g}"]
    y = laid.rows[laid.row[line.source]][1]
    found.append(f"V{y:g}")
    for one in laid.passes[number]:
        found.append(_curve(x, y, one.x, laid.rows[one.first][0]))
        x, y = one.x, laid.rows[one.last][1]
        found.append(f"V{y:g}")
    end_x, end_y = laid.centres[line.target]
    found.append(_curve(x, y, end_x, laid.rows[laid.row[line.target]][0]))
    found.append(f"V{end_y - size_of(drawing, drawing.boxes[line.target])[1] / 2:g}")
    return "".join(found)


def _curve(x: float, y: float, end_x: float, end_y: float) -> str:
    if abs(x - end_x) < 0.1:
        return f"V{end_y:g}"
    middle = (y + end_y) / 2
    return f"C{x:g} {middle:g} {end_x:g} {middle:g} {end_x:g} {end_y:g}"
