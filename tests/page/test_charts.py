"""What is not finite is said, and no point is lost or invented."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caffelint.page.charts import Series, bars, lines

NUMBERS = st.floats(allow_nan=True, allow_infinity=True, width=64)


def points(markup: str) -> list[tuple[float, float]]:
    """Those of the first series."""
    path = re.search(r'<g class="series s0"><path d="([^"]*)"', markup)
    assert path
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path[1])]


def test_a_line() -> None:
    drawn = lines([Series("loss", range(4), [4.0, 2.0, 1.0, 1.0])], "loss", "iteration", "loss")
    places = points(drawn)
    assert len(places) == 4
    assert places[0][1] < places[1][1] < places[2][1] == places[3][1], "y goes down"


def test_what_is_not_finite_is_a_gap_and_a_mark() -> None:
    drawn = lines([Series("loss", range(4), [1.0, 2.0, math.nan, math.nan])], "loss", "iteration", "loss")
    assert "not finite from 2" in drawn
    assert "nan" not in re.sub("<title>.*?</title>", "", drawn)


def test_a_single_point_is_seen() -> None:
    assert "<circle" in lines([Series("loss", [5], [1.0])], "loss", "iteration", "loss")


def test_a_peak_among_many_points_is_kept() -> None:
    ys = [1.0] * 100_000
    ys[51_234] = 9.0
    drawn = lines([Series("loss", range(100_000), ys)], "loss", "iteration", "loss")
    assert len(drawn) < 60_000
    tops = {y for _, y in points(drawn)}
    assert len(tops) == 2


@given(st.lists(NUMBERS, max_size=8), st.lists(NUMBERS, max_size=8))
def test_any_numbers(xs: list[float], ys: list[float]) -> None:
    drawn = lines([Series("a", xs, ys)], "a", "x", "y")
    for path in re.findall(r' d="([^"]*)"', drawn):
        assert re.fullmatch(r"(?:[MLVH]-?[\d.]+(?: -?[\d.]+)?)*", path)


@given(st.lists(st.tuples(st.text(max_size=50), NUMBERS, st.text(max_size=5)), max_size=5))
def test_any_bars(values: list[tuple[str, float, str]]) -> None:
    assert "nan" not in re.findall(r'width="([^"]*)"', bars(values, "a"))


@pytest.mark.parametrize("label", ["</title><script>", '"'])
def test_names_are_escaped(label: str) -> None:
    drawn = lines([Series(label, [0, 1], [1.0, 2.0]), Series("b", [0, 1], [1.0, 2.0])], label, label, label)
    assert "<script>" not in drawn
