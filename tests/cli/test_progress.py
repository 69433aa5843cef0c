"""The progress bar."""

from __future__ import annotations

import io
import sys

import pytest

from caffelint.cli import progress
from caffelint.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_nothing_within_a_second(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress() as bar:
        clock[0] += 0.9
        bar(1, 2)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_a_bar_that_goes_away(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress() as bar:
        clock[0] += 2
        bar(1, 2)
        bar(2, 2)
    shown = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert shown == "\r" + "━" * 15 + "─" * 15 + " 1 of 2\x1b[K" + "\r\x1b[K"


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO, False), (Terminal, True)])
def test_nothing_where_nobody_watches(
    stream: type[io.StringIO], quiet: bool, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream())
    with Progress(quiet) as bar:
        clock[0] += 5
        bar(1, 2)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]
