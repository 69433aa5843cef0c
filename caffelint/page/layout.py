"""Places the boxes of a graph in rows from top to bottom, with few crossings and straight lines.

The way of Sugiyama: rows by the longest path, lines through several rows cut by points in each of them, the order in
the rows by the mean place of neighbours, and places in the rows by U. Brandes and B. Koepf, Fast and Simple Horizontal
Coordinate Assignment (Graph Drawing 2001). All of it is deterministic, and takes time in proportion to the lines and
the rows that they cross; the longest of very many lines are left out of it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

_SWEEPS = 8
_ROW_GAP = 34.0
_BOX_GAP = 22.0
_LINE_GAP = 14.0
_POINTS = 20_000
"""So many rows are crossed by lines that are led around boxes; a picture of more shows nothing."""

Point = tuple[float, float]


class Pass(NamedTuple):
    """Where a line runs straight down through rows, from the top of the first to the bottom of the last."""

    x: float
    first: int
    last: int


class Layout(NamedTuple):
    """Places in pixels, y downwards. centres: of the boxes. rows: the top and bottom of each, and row the one of each
    box. passes: of each edge, where it leads through rows between those of its boxes."""

    width: float
    height: float
    centres: list[Point]
    row: list[int]
    rows: list[Point]
    passes: list[list[Pass]]


def layout(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Layout:
    """Place boxes of these widths and heights; each edge leads from a lower number to a higher one."""
    if not sizes:
        return Layout(0.0, 0.0, [], [], [], [])
    graph = _Graph(sizes, edges)
    rows = _ordered(graph)
    places = _across(graph, rows)
    return _drawn(graph, rows, places)


class _Graph:
    """Boxes, and the points in which lines cross rows; numbered alike, the points after the boxes.

    chains: of each edge all that it leads through, its ends included; only these of the longest lines of too many.
    """

    def __init__(self, sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> None:
        self.sizes = list(sizes)
        self.boxes = len(sizes)
        self.rows = _rows(len(sizes), edges)
        self.above: list[list[int]] = [[] for _ in sizes]
        self.below: list[list[int]] = [[] for _ in sizes]
        self.chains: list[list[int]] = []
        shared: dict[tuple[int, int], int] = {}
        longest = self._longest(edges)
        for source, target in edges:
            if self.rows[target] - self.rows[source] > longest:
                self.chains.append([source, target])
                continue
            chain = [source]
            for row in range(self.rows[source] + 1, self.rows[target]):
                if (source, row) not in shared:  # lines from one box run together as long as they can
                    shared[source, row] = self._point(row)
                chain.append(shared[source, row])
            chain.append(target)
            self.chains.append(chain)
            for upper, lower in pairwise(chain):
                if lower not in self.below[upper]:
                    self.below[upper].append(lower)
                    self.above[lower].append(upper)

    def _longest(self, edges: Sequence[tuple[int, int]]) -> int:
        """How many rows down a line may lead, if all that are as short cross no more rows than may be crossed."""
        lengths = sorted(self.rows[target] - self.rows[source] for source, target in edges)
        crossed = accumulate(length - 1 for length in lengths)
        fitting = bisect_right(list(crossed), _POINTS)
        return lengths[fitting] - 1 if fitting < len(lengths) else len(self.rows)

    def _point(self, row: int) -> int:
        self.sizes.append((0.0, 0.0))
        self.rows.append(row)
        self.above.append([])
        self.below.append([])
        return len(self.sizes) - 1

    def is_point(self, number: int) -> bool:
        return number >= self.boxes


def _rows(boxes: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest path to each box; what nothing leads to is right above the first that reads it."""
    rows = [0] * boxes
    targets: list[list[int]] = [[] for _ in range(boxes)]
    has_source = [False] * boxes
    for source, target in edges:
        targets[source].append(target)
        has_source[target] = True
    for box in range(boxes):
        for target in targets[box]:
            rows[target] = max(rows[target], rows[box] + 1)
    for box in range(boxes):
        if targets[box] and not has_source[box]:
            rows[box] = min(rows[target] for target in targets[box]) - 1
    return rows


def _ordered(graph: _Graph) -> list[list[int]]:
    """The boxes and points of each row from left to right."""
    rows: list[list[int]] = [[] for _ in range(max(graph.rows) + 1)]
    seen = [False] * len(graph.rows)
    for start in sorted(range(len(graph.rows)), key=lambda number: graph.rows[number]):
        waiting = [start]
        while waiting:
            number = waiting.pop()
            if not seen[number]:
                seen[number] = True
                rows[graph.rows[number]].append(number)
                waiting += reversed(graph.below[number])
    best, fewest = [row[:] for row in rows], _crossings(graph, rows)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        down = sweep % 2 == 0
        near = graph.above if down else graph.below
        for number in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            beside = rows[number - 1 if down else number + 1]
            place = {one: at for at, one in enumerate(beside)}
            rows[number] = _by_neighbours(rows[number], near, place)
        crossings = _crossings(graph, rows)
        if crossings < fewest:
            best, fewest = [row[:] for row in rows], crossings
    return best


def _by_neighbours(row: list[int], near: Sequence[Sequence[int]], place: dict[int, int]) -> list[int]:
    """The row, each where its neighbours are on average; what has none keeps its place."""
    means = {one: sum(place[other] for other in near[one]) / len(near[one]) for one in row if near[one]}
    moved = iter(sorted(means, key=lambda one: means[one]))
    return [next(moved) if one in means else one for one in row]


def _crossings(graph: _Graph, rows: Sequence[Sequence[int]]) -> int:
    found = 0
    for upper, lower in pairwise(rows):
        place = {one: at for at, one in enumerate(lower)}
        seen: list[int] = []
        for one in upper:
            ends = sorted(place[other] for other in graph.below[one])
            found += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return found


def _across(graph: _Graph, rows: Sequence[Sequence[int]]) -> list[float]:
    """The place of each box and point in its row: the median of four, leaning to each side and to each end."""
    marked = _crossing_straight_ones(graph, rows)
    found = []
    for upwards in (False, True):
        for leftwards in (False, True):
            turned = [row[::-1] if leftwards else list(row) for row in (rows[::-1] if upwards else rows)]
            near = graph.below if upwards else graph.above
            one = _leaning(graph, turned, near, marked)
            found.append([-x for x in one] if leftwards else one)
    narrowest = min(found, key=lambda one: _extent(graph, one)[1] - _extent(graph, one)[0])
    low, high = _extent(graph, narrowest)
    for number, one in enumerate(found):
        left, right = _extent(graph, one)
        shift = high - right if number % 2 else low - left
        one[:] = [x + shift for x in one]
    middles = [sorted(four)[1:3] for four in zip(*found, strict=True)]
    return [(low + high) / 2 for low, high in middles]


def _extent(graph: _Graph, places: Sequence[float]) -> tuple[float, float]:
    halves = [width / 2 for width, _ in graph.sizes]
    low = min(x - half for x, half in zip(places, halves, strict=True))
    return low, max(x + half for x, half in zip(places, halves, strict=True))


def _crossing_straight_ones(graph: _Graph, rows: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """The pieces of lines, between two rows, that cross a piece from point to point, which is to stay straight."""
    found: set[tuple[int, int]] = set()
    for upper, lower in pairwise(rows):
        place = {one: at for at, one in enumerate(upper)}
        left = scanned = 0
        for at, one in enumerate(lower):
            inner = next((other for other in graph.above[one] if graph.is_point(other)), None)
            straight = inner is not None and graph.is_point(one)
            if straight or at == len(lower) - 1:
                right = place[inner] if straight and inner is not None else len(upper) - 1
                for beside in lower[scanned : at + 1]:
                    for other in graph.above[beside]:
                        if not left <= place[other] <= right and not (graph.is_point(beside) and graph.is_point(other)):
                            found.add((other, beside))
                left, scanned = right, at + 1
    return found


def _leaning(
    graph: _Graph, rows: Sequence[Sequence[int]], near: Sequence[Sequence[int]], marked: set[tuple[int, int]]
) -> list[float]:
    """Places for one of the four ways: each box over the median of those before, as far left as it can be."""
    count = len(graph.sizes)
    root = list(range(count))
    align = list(range(count))
    place = [0] * count
    before = [-1] * count
    for row in rows:
        for at, one in enumerate(row):
            place[one] = at
            before[one] = row[at - 1] if at else -1
    for row in rows[1:]:
        reached = -1
        for one in row:
            others = sorted(near[one], key=place.__getitem__)
            middle = (len(others) - 1) / 2
            for other in others[int(middle) : int(middle + 0.5) + 1]:
                free = (other, one) not in marked and (one, other) not in marked
                if align[one] == one and free and place[other] > reached:
                    align[other] = one
                    align[one] = root[one] = root[other]
                    reached = place[other]
    return _packed(graph, rows, root, before)


def _packed(graph: _Graph, rows: Sequence[Sequence[int]], root: Sequence[int], before: Sequence[int]) -> list[float]:
    """Blocks of aligned boxes, each as far to the left as its neighbours let it be, then closer to the right ones."""
    least: dict[int, list[tuple[int, float]]] = {}
    most: dict[int, list[tuple[int, float]]] = {}
    for row in rows:
        for one in row:
            other = before[one]
            if other >= 0:
                gap = _gap(graph, other, one)
                least.setdefault(root[one], []).append((root[other], gap))
                most.setdefault(root[other], []).append((root[one], gap))
    order = _sorted_blocks({root[one] for row in rows for one in row}, least)
    places = dict.fromkeys(order, 0.0)
    for block in order:
        places[block] = max((places[left] + gap for left, gap in least.get(block, ())), default=0.0)
    for block in reversed(order):
        room = min((places[right] - gap for right, gap in most.get(block, ())), default=None)
        if room is not None:
            places[block] = max(places[block], room)
    return [places[root[one]] for one in range(len(graph.sizes))]


def _sorted_blocks(blocks: set[int], least: dict[int, list[tuple[int, float]]]) -> list[int]:
    """Each block after those on its left."""
    found: list[int] = []
    begun: set[int] = set()
    for start in sorted(blocks):
        waiting = [(start, iter(least.get(start, ())))] if start not in begun else []
        begun.add(start)
        while waiting:
            block, lefts = waiting[-1]
            left = next((other for other, _ in lefts if other not in begun), None)
            if left is None:
                waiting.pop()
                found.append(block)
            else:
                begun.add(left)
                waiting.append((left, iter(least.get(left, ()))))
    return found


def _gap(graph: _Graph, left: int, right: int) -> float:
    gap = _LINE_GAP if graph.is_point(left) or graph.is_point(right) else _BOX_GAP
    return graph.sizes[left][0] / 2 + gap + graph.sizes[right][0] / 2


def _drawn(graph: _Graph, rows: Sequence[Sequence[int]], across: Sequence[float]) -> Layout:
    low, high = _extent(graph, across)
    places = [round(x - low, 1) for x in across]
    heights = [max(graph.sizes[one][1] for one in row) if row else 0.0 for row in rows]
    spans: list[Point] = []
    y = 0.0
    for height in heights:
        spans.append((y, y + height))
        y += height + _ROW_GAP
    own = graph.rows[: graph.boxes]
    centres = [(places[number], sum(spans[row]) / 2) for number, row in enumerate(own)]
    passes = [_passes(graph, chain, places) for chain in graph.chains]
    return Layout(high - low, y - _ROW_GAP, centres, own, spans, passes)


def _passes(graph: _Graph, chain: Sequence[int], places: Sequence[float]) -> list[Pass]:
    found: list[Pass] = []
    for one in chain[1:-1]:
        x, row = places[one], graph.rows[one]
        if found and found[-1].x == x:
            found[-1] = found[-1]._replace(last=row)
        else:
            found.append(Pass(x, row, row))
    return found
