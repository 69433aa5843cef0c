"""A drawing as SVG: within a page, or as a picture of its own."""

from __future__ import annotations

from collections import Counter

from caffelint.lint.finding import SEVERITIES
from caffelint.page.assets import asset
from caffelint.page.drawing import EDGE, HEAD, LINE, MARGIN, PADDING, STUB, Drawing, size_of
from caffelint.page.lines import route
from caffelint.page.marks import Marks, worst_of
from caffelint.page.markup import Markup, element, joined
from caffelint.page.palette import variables
from caffelint.report.words import count


def picture(drawing: Drawing, title: str, marks: Marks) -> str:
    """An SVG of its own."""
    width, height = drawing.layout.width + 2 * EDGE, drawing.layout.height + 2 * EDGE
    return '<?xml version="1.0" encoding="utf-8"?>\n' + element(
        "svg",
        element("metadata", "caffelint"),
        element("title", title),
        element("style", Markup(variables() + asset("net.css"))),
        element("rect", class_="ground", width="100%", height="100%"),
        element("g", _container(drawing, marks), transform=f"translate({EDGE} {EDGE})"),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
    )


def in_page(drawing: Drawing, marks: Marks, name: str, label: str) -> Markup:
    """The drawing of a page, whose script opens its modules. name: what all its ids begin with."""
    width, height = drawing.layout.width + 2 * EDGE, drawing.layout.height + 2 * EDGE
    return element(
        "svg",
        element("g", _container(drawing, marks, name), transform=f"translate({EDGE} {EDGE})"),
        class_="net",
        viewBox=f"0 0 {width:g} {height:g}",
        role="group",
        aria_label=label,
        data_net=name,
    )


def _container(drawing: Drawing, marks: Marks, name: str = "") -> Markup:
    lines = [_line(drawing, number, marks) for number in range(len(drawing.lines))]
    boxes = [_box(drawing, number, marks, name) for number in range(len(drawing.boxes))]
    return joined(element("g", *lines, class_="lines"), *boxes)


def _box(drawing: Drawing, number: int, marks: Marks, name: str) -> Markup:
    """name: empty in a picture, which nobody can press."""
    box, (x, y) = drawing.boxes[number], drawing.layout.centres[number]
    width, height = size_of(drawing, box)
    found = marks.on(box)
    is_open = drawing.is_open and box.inner is not None
    stub = element("path", d=f"M{width / 2:g} -{STUB}V0", class_="line stub") if box.enters else None
    lines = [  # with blanks between, so that they are read as words of their own
        joined(element("text", line, class_=role, x=PADDING + 2, y=f"{at * LINE + PADDING + 8:g}"), " ")
        for at, (role, line) in enumerate(box.words.lines)
    ]
    says = f"{' '.join(line for _, line in box.words.lines)}{_said(found)}"
    card = element(
        "g",
        element("rect", class_="body", width=f"{width:g}", height=f"{height:g}", rx=5),
        element("rect", class_="stripe", width=5, height=f"{height:g}", rx=2),
        *lines,
        stub,
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
        inner = element("g", _container(box.inner, marks, name), class_="inner", transform=shift)
    return element(
        "g",
        card,
        _mark(found, width),
        inner,
        class_=f"box {box.kind}{' open' * is_open}",
        transform=f"translate({x - width / 2:g} {y - height / 2:g})",
    )


def _said(found: Counter[str]) -> str:
    parts = [count(found[severity], severity) for severity in SEVERITIES if found[severity]]
    return f" {count(sum(found.values()), 'finding')}: {', '.join(parts)}" if parts else ""


def _mark(found: Counter[str], width: float) -> Markup | None:
    """The worst severity, told by shape and colour, and the number of findings."""
    worst = worst_of(found)
    if worst is None:
        return None
    shapes = {"error": "M-6 -11H6L11 -6V6L6 11H-6L-11 6V-6Z", "warning": "M0 -12L12 10H-12Z"}
    number = sum(found.values())
    return element(
        "g",
        element("path", d=shapes.get(worst, "M0 -10A10 10 0 1 1 0 10A10 10 0 1 1 0 -10Z")),
        element("text", str(number) if number < 100 else "99+", y=8 if worst == "warning" else 4),
        class_=f"mark {worst}",
        aria_hidden="true",
        transform=f"translate({width:g} 0)",
    )


def _line(drawing: Drawing, number: int, marks: Marks) -> Markup:
    line = drawing.lines[number]
    blobs = ", ".join(line.blobs[:4]) + ", …" * (len(line.blobs) > 4)
    severity = marks.on_line(line)
    return element("path", element("title", blobs), d=_path(drawing, number), class_=f"line {severity or ''}".strip())


def _path(drawing: Drawing, number: int) -> Markup:
    return Markup(
        "".join(f"{step.letter}{' '.join(f'{value:g}' for value in step.values)}" for step in route(drawing, number))
    )
