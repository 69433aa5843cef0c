"""`caffelint log --follow` ends where nothing more can come, and takes its time from the size of the log alone."""

from __future__ import annotations

import gzip
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from caffelint.cli import logged
from caffelint.cli.main import main
from caffelint.evidence.log.reader import Reader

LINE = "I0404 16:55:15.732383 72497 solver.cpp:313] Iteration {}, loss = {}\n"
BEGUN = "I0404 16:55:15.732383 72497 solver.cpp:48] Initializing solver from parameters: \n"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logged, "_POLL", 0.01)


def _then(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Do something once all that a log holds so far has been read."""
    left = [happens]

    def sleep(_: float) -> None:
        if threading.current_thread() is threading.main_thread():  # threads that other tests began sleep as well
            left.pop()() if left else pytest.fail("follows for ever")

    monkeypatch.setattr(logged.time, "sleep", sleep)


def test_the_other_end_of_a_pipe_ends(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    read, write = os.pipe()
    os.write(write, LINE.format(0, 2.3).encode())
    os.close(write)
    with os.fdopen(read) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["log", "--follow", "-"]) == 0
    assert "please report it" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("happens", "reason"),
    [
        (lambda path: path.write_text(LINE.format(0, 2)), "has become shorter"),
        (lambda path: path.write_text(path.read_text().replace("1", "2") * 9), "was written anew"),
        (lambda path: path.unlink(), "was moved, removed or replaced"),
        (lambda path: path.rename(path.with_name("train.log.1")), "was moved, removed or replaced"),
        (lambda path: os.replace(path.with_name("other"), path), "was moved, removed or replaced"),
    ],
)
def test_a_file_that_cannot_grow(
    happens: Callable[[Path], object],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(LINE.format(number, 2) for number in range(9)))
    path.with_name("other").write_text(path.read_text() * 2)
    _then(monkeypatch, lambda: happens(path))
    assert main(["log", "--follow", str(path)]) == 0
    assert f"train.log: {reason}, so it is read no further" in capsys.readouterr().err


def test_what_is_packed_unlike_a_log_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.log.gz"
    path.write_bytes(gzip.compress(LINE.format(0, 1).encode() + b"Traceback (most recent\n" * 1_000_000))
    assert main(["log", "--follow", str(path)]) == 2
    assert "unpacks to more than 50 times its size" in capsys.readouterr().err


def test_packed_on_stdin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    read, write = os.pipe()
    threading.Thread(target=lambda: (os.write(write, gzip.compress(b"x")), os.close(write))).start()
    with os.fdopen(read) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["log", "-"]) == 2
    assert "<stdin>: is packed with gzip; give the file, or pipe it through zcat" in capsys.readouterr().err


@pytest.mark.parametrize("after", ["", LINE.format(0, 2.3) + LINE.format(1, 2.2)])
def test_a_text_that_comes_in_lines(after: str) -> None:
    """A search for its end with each of them would take a quarter of an hour."""
    lines = [BEGUN, *['snapshot_prefix: "models/bvlc_googlenet/bvlc_googlenet"\n'] * 100_000, *after.splitlines(True)]
    grown = Reader("train.log")
    for line in lines:
        grown.feed(line.encode())
        if grown.log.run is not None and line == lines[-1]:
            assert grown.log.run.series  # read with the line after the text, before the log has ended
    at_once = Reader("train.log")
    at_once.feed("".join(lines).encode())
    assert grown.end().runs[0].texts == at_once.end().runs[0].texts
    assert grown.log.runs[0].texts[0].data.count(b"\n") == 100_000


@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_pieces_of_any_size(size: int) -> None:
    data = (
        BEGUN + 'base_lr: 0.1\nnet: "a"\n' + LINE.format(0, 2.3) + BEGUN + "base_lr: 0.2\n" + LINE.format(0, 2)
    ).encode()
    grown, at_once = Reader("train.log"), Reader("train.log")
    for begin in range(0, len(data), size):
        grown.feed(data[begin : begin + size])
    at_once.feed(data)
    told = [(run.line, run.texts, run.iteration, list(run.series)) for run in grown.end().runs]
    assert told == [(run.line, run.texts, run.iteration, list(run.series)) for run in at_once.end().runs]
