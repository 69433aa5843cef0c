"""Pictures of a run and of a search."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from caffelint.smoke.events import (
    BLOB,
    CHANGE,
    DATA,
    FORWARD,
    PARAM,
    Event,
    Iteration,
    NonFinite,
    RateFound,
    Statistics,
)
from caffelint.smoke.plot import _rates, _run, _scales, draw


def statistics(iteration: int, layer: str, kind: str, name: str, part: str, size: float) -> Statistics:
    return Statistics(iteration, layer, kind, name, part, -size, size, 0.0, size, 0.0)


RUN: list[Event] = [
    Iteration(-1, 0, 2.3, {}),
    statistics(-1, "fc", PARAM, "0", DATA, 0.5),
    statistics(-1, "fc", BLOB, "fc", DATA, 1),
    statistics(-1, "fc_fc_0_split", BLOB, "fc_fc_0_split_1", DATA, 1),
    statistics(-1, "pick", BLOB, "left", DATA, 1),
    statistics(-1, "pick", BLOB, "right", DATA, 2),
    Iteration(0, 0.1, 2.2, {}),
    statistics(0, "fc", PARAM, "0", CHANGE, 5),
    statistics(0, "fc", PARAM, "0", DATA, 5),
    Iteration(1, 0.1, 900, {}),
    NonFinite(1, 0, FORWARD, "fc", BLOB, "fc", 1, 0, 4, 0, 1, 0.1, {}),
]
FOUND = RateFound(3, 0.3, 3, [(0.1, True, 2.0), (3, True, 1.5), (10, False, float("nan"))])


def lines(axis: Any) -> dict[str, list[float]]:
    return {line.get_label(): list(line.get_ydata()) for line in axis.get_lines()}


@pytest.mark.parametrize("events", [RUN, [FOUND], []])
def test_every_kind_of_file(tmp_path: Path, events: list[Event]) -> None:
    starts = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".html": b"<!doctype html>"}
    for suffix, start in starts.items():
        path = tmp_path / f"a{suffix}"
        draw(events, path, "<s>.prototxt")
        assert path.read_bytes().startswith(start)
    assert "<title>&lt;s>.prototxt</title>" in (tmp_path / "a.html").read_text()


ODD = (r"$\frac{$", "a$b\\$", "\x1b\n<&>\0", "_fc", "x" * 100_000, "\udc80")


def test_names_of_any_kind(tmp_path: Path) -> None:
    """The picture is drawn, an XML parser reads it, and all names are in the legend, as text, and cut."""
    events: list[Event] = [statistics(0, name, BLOB, name, DATA, 1) for name in ODD]
    events.append(NonFinite(0, 0, FORWARD, ODD[0], BLOB, "fc", 1, 0, 4, 0, 1, 0.1, {}))
    for suffix in (".svg", ".html"):
        draw(events, tmp_path / f"a{suffix}", "".join(ODD[:-2]) + ODD[-1])
    text = (tmp_path / "a.svg").read_text()
    ElementTree.fromstring(text)
    for shown in (r"<!-- $\frac{$ -->", r"<!-- a$b\$ -->", "_fc -->", f"<!-- {'x' * 59}… -->"):
        assert shown in text, shown


def test_an_update_is_held_against_the_weights_before_it() -> None:
    axis = Figure().subplots()
    _scales(axis, [event for event in RUN if isinstance(event, Statistics)], PARAM, CHANGE)
    assert lines(axis) == {"fc": [10.0]}


def test_blobs_of_one_layer_are_lines_of_their_own_and_splits_none() -> None:
    axis = Figure().subplots()
    _scales(axis, [event for event in RUN if isinstance(event, Statistics)], BLOB, DATA)
    assert set(lines(axis)) == {"fc", "pick: left", "pick: right"}


def test_the_bad_point_is_marked() -> None:
    axes = Figure().subplots(5, 1, sharex=True)
    _run(axes, RUN)
    assert [text.get_text().strip() for text in axes[0].texts] == ['forward of "fc" is not finite']


def test_a_search_shows_what_stayed_and_what_broke() -> None:
    axis = Figure().subplots()
    _rates(axis, FOUND)
    found = lines(axis)
    assert (found["finite"], found["broke (no loss)"]) == ([2.0, 1.5], [0.97])
    assert {"largest: 3", "suggested: 0.3"} < set(found)
