"""Boxes do not overlap, lines lead downwards and past boxes, and the same graph is always drawn alike."""

from __future__ import annotations

import pytest
from cost import follows
from hypothesis import given
from hypothesis import strategies as st

from caffelint.page.layout import Layout, layout

Graph = tuple[list[tuple[float, float]], list[tuple[int, int]]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Boxes of any size, and edges from lower numbers to higher ones."""
    count = draw(st.integers(1, 30))
    size = st.tuples(st.integers(20, 200), st.integers(20, 90))
    sizes = [(float(width), float(height)) for width, height in draw(st.lists(size, min_size=count, max_size=count))]
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda pair: pair[0] < pair[1])
    edges = draw(st.lists(pairs, max_size=60, unique=True)) if count > 1 else []
    return sizes, edges


def frame(laid: Layout, sizes: list[tuple[float, float]], box: int) -> tuple[float, float, float, float]:
    (x, y), (width, height) = laid.centres[box], sizes[box]
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


@given(graphs())
def test_boxes_are_apart_and_lines_pass_them(graph: Graph) -> None:
    sizes, edges = graph
    laid = layout(sizes, edges)
    frames = [frame(laid, sizes, box) for box in range(len(sizes))]
    for number, (left, top, right, bottom) in enumerate(frames):
        assert left >= -0.1
        assert right <= laid.width + 0.1
        assert top >= laid.rows[laid.row[number]][0] - 0.1
        assert bottom <= laid.rows[laid.row[number]][1] + 0.1
        for other_left, other_top, other_right, other_bottom in frames[:number]:
            beside = right < other_left or other_right < left
            assert beside or bottom < other_top or other_bottom < top
    for (source, target), passes in zip(edges, laid.passes, strict=True):
        rows = [row for one in passes for row in range(one.first, one.last + 1)]
        assert rows == list(range(laid.row[source] + 1, laid.row[target])), "each row between, in order"
        for one in passes:
            for box, (left, _, right, _) in enumerate(frames):
                if one.first <= laid.row[box] <= one.last:
                    assert one.x < left or one.x > right, "a line leads through no box"


@given(graphs())
def test_it_is_deterministic(graph: Graph) -> None:
    assert layout(*graph) == layout(*graph)


def test_nothing() -> None:
    assert layout([], []).centres == []


def test_a_chain_is_straight() -> None:
    laid = layout([(100.0, 40.0), (60.0, 40.0), (140.0, 60.0)], [(0, 1), (1, 2)])
    assert len({x for x, _ in laid.centres}) == 1
    assert laid.row == [0, 1, 2]


def test_branches_do_not_cross() -> None:
    """An Inception block: of any order of the branches, one has no crossings."""
    sizes = [(100.0, 40.0)] * 8
    edges = [(0, 1), (0, 2), (0, 3), (1, 5), (2, 4), (3, 6), (4, 7), (5, 7), (6, 7), (0, 7)]
    laid = layout(sizes, edges)
    order = sorted((1, 2, 3), key=lambda box: laid.centres[box][0])
    below = sorted((4, 5, 6), key=lambda box: laid.centres[box][0])
    after = {1: 5, 2: 4, 3: 6}
    assert [after[box] for box in order] == below


@pytest.mark.parametrize("count", [1000, 4000])
def test_long_chains_need_no_recursion(count: int) -> None:
    laid = layout([(100.0, 40.0)] * count, [(one, one + 1) for one in range(count - 1)] + [(0, count - 1)])
    assert len(laid.rows) == count


def halving(count: int) -> Graph:
    """Each box reads the one before and the one of half its number: the rows that lines cross grow with the square."""
    edges = [pair for one in range(1, count) for pair in {(one - 1, one), (one // 2, one)} if pair[0] < pair[1]]
    return [(100.0, 40.0)] * count, edges


@pytest.mark.parametrize("count", [100, 1200])
def test_the_longest_of_too_many_lines_are_not_led_around_boxes(count: int) -> None:
    laid = layout(*halving(count))
    crossed = sum(one.last - one.first + 1 for passes in laid.passes for one in passes)
    of_all = sum(laid.row[target] - laid.row[source] - 1 for source, target in halving(count)[1])
    assert crossed == of_all if count == 100 else 10_000 < crossed <= 20_000 < of_all


def test_takes_time_with_the_lines() -> None:
    assert follows(lambda count: layout(*halving(count)), 400, 1600, times=4, most=3)
