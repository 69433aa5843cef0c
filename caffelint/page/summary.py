"""The summary of a net: its totals in each state, its largest layers, and all of them in a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING

from caffelint.page.charts import bars
from caffelint.page.drawing import parameters, shape_text
from caffelint.page.markup import Content, Markup, element, joined
from caffelint.report.summary_table import number, size

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.page.views import View

_LARGEST = 10
_BYTES = 4


def panel(views: Sequence[View]) -> Markup:
    """Totals of all states, then charts and the table of each."""
    if not views:
        return element("p", "There is no net to show.", class_="note")
    return joined(totals(views), *(_details(view, number) for number, view in enumerate(views)))


def totals(views: Sequence[View]) -> Markup:
    """A row for each state."""
    heads = ("state", "Caffe", "layers", "parameters", "multiply-adds", "data", "weights")
    rows = [
        (
            view.title,
            verdict(view),
            str(len(_layers(view))),
            _number(_sum(view, parameters)),
            _number(_sum(view, _work)),
            _size(view.built.memory),
            _size(_times(_BYTES, _sum(view, parameters))),
        )
        for view in views
    ]
    caption = "Totals; data is what Caffe logs as memory required for data"
    return table(heads, rows, numbers=range(2, 7), caption=caption)


def verdict(view: View) -> str:
    if view.loads is None:
        return "may load; some of it is unknown"
    return "loads" if view.loads else "does not load"


def _details(view: View, number_: int) -> Markup:
    charts = [
        element("div", element("h4", f"{name}, ten largest"), bars(values, f"{name} by layer"))
        for name, values in (
            ("Parameters", _largest(view, parameters, number)),
            ("Multiply-adds", _largest(view, _work, number)),
            ("Memory of data", _largest(view, _memory, size)),
        )
        if values
    ]
    heads = ("layer", "type", "bottoms", "tops", "output", "parameters", "multiply-adds", "data")
    rows = [
        (
            layer.name,
            layer.type,
            ", ".join(blob.original.name for blob in layer.bottoms),
            ", ".join(blob.name for blob in layer.tops),
            ", ".join(shape_text(blob.shape) for blob in layer.tops),
            _number(parameters(layer), zero=""),
            _number(_work(layer), zero=""),
            _size(_memory(layer)),
        )
        for layer in _layers(view)
    ]
    return element(
        "details",
        element("summary", f"{view.title}: charts and all {len(rows)} layers"),
        element("div", *charts, class_="charts"),
        table(heads, rows, numbers=(5, 6, 7), caption=f"Layers in {view.title}"),
        open=number_ == 0,
    )


def table(heads: Sequence[str], rows: Sequence[Sequence[Content]], numbers: Sequence[int], caption: str) -> Markup:
    """numbers: the columns that hold some, and lean to the right."""
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(
                element("td", cell, class_="number" if at in numbers else None)
                for at, cell in enumerate(row[1:], start=1)
            ),
        )
        for row in rows
    ]
    return element(
        "div",
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", *(_head(head, at in numbers) for at, head in enumerate(heads)))),
            element("tbody", *body),
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def _head(head: str, is_number: bool) -> Markup:
    return element("th", head, scope="col", class_="number" if is_number else None)


def _layers(view: View) -> list[BuiltLayer]:
    return [layer for layer in view.built.layers if layer.index is not None]


def _work(layer: BuiltLayer) -> int | None:
    is_known = layer.params is not None and all(top.shape is not None for top in layer.tops)
    return layer.multiply_adds() if is_known else None


def _memory(layer: BuiltLayer) -> int | None:
    if any(top.shape is None for top in layer.tops):
        return None
    return sum(_BYTES * prod(top.shape) for top in layer.tops if top.shape is not None)


def _sum(view: View, value: Callable[[BuiltLayer], int | None]) -> int | None:
    found = [value(layer) for layer in _layers(view)]
    return None if None in found else sum(one for one in found if one is not None)


def _largest(
    view: View, value: Callable[[BuiltLayer], int | None], text: Callable[[int], str]
) -> list[tuple[str, float, str]]:
    found = [(layer.name, one) for layer in _layers(view) if (one := value(layer))]
    found.sort(key=lambda pair: -pair[1])
    return [(name, float(one), text(one)) for name, one in found[:_LARGEST]]


def _number(value: int | None, zero: str = "0") -> str:
    return "?" if value is None else number(value) if value else zero


def _size(value: int | None) -> str:
    return "?" if value is None else size(value)


def _times(factor: int, value: int | None) -> int | None:
    return None if value is None else factor * value
