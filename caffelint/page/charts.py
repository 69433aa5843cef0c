"""Charts as SVG, of values that are there: nothing is drawn that moves, loads or runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from caffelint.page.markup import Markup, element, joined

_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 14, 34
_ROW = 24
_LABEL = 220
_BAR = 300
_MOST_POINTS = 600
_MOST_ALONE = 100
_LARGEST = 1e100
_LOG_FROM = 50
"""The least factor between values for an axis with logarithms."""


class Series(NamedTuple):
    name: str
    xs: Sequence[float]
    ys: Sequence[float]


def lines(series: Sequence[Series], label: str, x_name: str, y_name: str) -> Markup:
    """Values over iterations; what is not finite is a gap."""
    series = [_drawable(one) for one in series]
    ys = [y for one in series for y in one.ys if math.isfinite(y)]
    if not ys:
        return element("p", "There is no finite value to draw.", class_="note")
    xs = [x for one in series for x in one.xs]
    is_log = min(ys) > 0 and max(ys) / min(ys) > _LOG_FROM
    across, up = (
        _Scale(min(xs), max(xs), _LEFT, _WIDTH - _RIGHT),
        _Scale(min(ys) if is_log else min(0.0, *ys), max(ys), _HEIGHT - _BOTTOM, _TOP, is_log),
    )
    drawn = [
        element(
            "g",
            element("path", d=_polyline(one, across, up)),
            *(element("circle", cx=f"{across(x):.1f}", cy=f"{up(y):.1f}", r=3) for x, y in _alone(one, up)),
            class_=f"series s{number % 6}",
        )
        for number, one in enumerate(series)
    ]
    broken = _broken(series, across)
    names = [
        element("span", element("span", class_=f"key s{number % 6}"), one.name)
        for number, one in enumerate(series)
        if len(series) > 1
    ]
    drawing = element(
        "svg",
        element("title", label),
        *_axes(across, up, x_name, y_name + " (log scale)" * is_log),
        *drawn,
        broken,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        class_="chart",
        role="img",
    )
    return element("figure", drawing, element("figcaption", *names) if names else None)


def _drawable(series: Series) -> Series:
    """The points that have a place on the x axis; values that no axis has room for are nan or 0."""
    pairs = [pair for pair in zip(series.xs, series.ys, strict=False) if abs(pair[0]) < _LARGEST]
    ys = [math.nan if not abs(y) < _LARGEST else y if abs(y) > 1 / _LARGEST else 0.0 for _, y in pairs]
    return Series(series.name, [x for x, _ in pairs], ys)


def _alone(series: Series, up: _Scale) -> list[tuple[float, float]]:
    """Points that no line leads to, as their neighbours are not finite, or are not there; the first few of them."""
    pairs = list(zip(series.xs, series.ys, strict=False))
    shown = [math.isfinite(y) and (y > 0 or not up.is_log) for _, y in pairs]
    beside = [False, *shown, False]
    return [pair for at, pair in enumerate(pairs) if shown[at] and not (beside[at] or beside[at + 2])][:_MOST_ALONE]


def _broken(series: Sequence[Series], across: _Scale) -> Markup | None:
    """A line where the first value is that is not finite."""
    found = [x for one in series for x, y in zip(one.xs, one.ys, strict=False) if not math.isfinite(y)]
    if not found:
        return None
    first = min(found)
    x = across(first)
    is_left = x < _WIDTH / 2
    return element(
        "g",
        element("path", d=Markup(f"M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}")),
        element(
            "text",
            f"not finite from {first:g}",
            x=f"{x + 5 if is_left else x - 5:.1f}",
            y=_TOP + 12,
            class_=None if is_left else "label",
        ),
        class_="broken",
    )


def bars(values: Sequence[tuple[str, float, str]], label: str) -> Markup:
    """A bar for each name with its value, and the value as text."""
    most = max((value for _, value, _ in values if math.isfinite(value)), default=0.0)
    if most <= 0:
        return element("p", "There is nothing to draw.", class_="note")
    rows = []
    for number, (name, value, text) in enumerate(values):
        y = number * _ROW
        length = _BAR * value / most if math.isfinite(value) else 0.0
        rows += [
            element("text", _clipped(name), x=_LABEL - 8, y=y + 16, class_="label"),
            element("rect", x=_LABEL, y=y + 4, width=f"{max(length, 1):.1f}", height=_ROW - 8, rx=2, class_="bar"),
            element("text", text, x=f"{_LABEL + length + 6:.1f}", y=y + 16),
        ]
    size = f"0 0 {_WIDTH} {_ROW * len(values)}"
    return element("figure", element("svg", element("title", label), *rows, viewBox=size, class_="chart", role="img"))


class _Scale:
    """From values to places in pixels."""

    def __init__(self, low: float, high: float, start: float, end: float, is_log: bool = False) -> None:
        self.is_log = is_log
        self.low, self.high = low, high if high - low > abs(low) * 1e-12 else low + (abs(low) or 1.0)
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (self.end - self.start) * (value - low) / (high - low)

    def ticks(self) -> list[float]:
        if self.is_log:
            first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            found = [10.0**power for power in range(first, last + 1, max(1, (last - first) // 5))]
            return found if len(found) > 1 else [self.low, self.high]
        unit = 10.0 ** math.floor(math.log10((self.high - self.low) / 4))
        step = unit * next(factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (unit * factor) <= 5)
        first = math.ceil(self.low / step)
        return [step * number for number in range(first, first + 7) if step * number <= self.high * (1 + 1e-9)]


def _axes(across: _Scale, up: _Scale, x_name: str, y_name: str) -> list[Markup]:
    bottom = _HEIGHT - _BOTTOM
    found = [
        joined(
            element("path", d=f"M{_LEFT} {up(tick):.1f}H{_WIDTH - _RIGHT}", class_="grid"),
            element("text", f"{tick:.4g}", x=_LEFT - 6, y=f"{up(tick) + 4:.1f}", class_="label"),
        )
        for tick in up.ticks()
    ]
    found += [
        element("text", _count(at), x=f"{across(at):.1f}", y=bottom + 16, class_="middle") for at in across.ticks()
    ]
    found.append(element("path", d=f"M{_LEFT} {bottom}H{_WIDTH - _RIGHT}", class_="axis"))
    found.append(element("text", x_name, x=_WIDTH - _RIGHT, y=_HEIGHT - 4, class_="label"))
    found.append(element("text", y_name, x=_LEFT, y=10))
    return found


def _polyline(series: Series, across: _Scale, up: _Scale) -> Markup:
    """At most `_MOST_POINTS` steps, each with its lowest and highest value, so that no peak is lost."""
    pairs = list(zip(series.xs, series.ys, strict=False))
    step = max(1, math.ceil(len(pairs) / _MOST_POINTS))
    kept: list[tuple[float, float]] = []
    for at in range(0, len(pairs), step):
        piece = pairs[at : at + step]
        finite = [pair for pair in piece if math.isfinite(pair[1])]
        if len(finite) < len(piece):
            kept.append((piece[0][0], math.nan))
        if finite:
            ends = {min(finite, key=_height), max(finite, key=_height)}
            kept += sorted(ends)
    found, drawing = "", False
    for x, y in kept:
        if not math.isfinite(y) or (up.is_log and y <= 0):
            drawing = False
            continue
        found += f"{'L' if drawing else 'M'}{across(x):.1f} {up(y):.1f}"
        drawing = True
    return Markup(found)


def _height(pair: tuple[float, float]) -> float:
    return pair[1]


def _count(value: float) -> str:
    for unit, factor in (("M", 1e6), ("k", 1e3)):
        if abs(value) >= 10 * factor:
            return f"{value / factor:g} {unit}"
    return f"{value:g}"


def _clipped(text: str) -> str:
    return text if len(text) <= 32 else f"{text[:18]}…{text[-13:]}"
