"""What is read of logs: of the real Caffe's own, of other ages and forks, and of what is no log."""

from __future__ import annotations

import math
import random
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from cost import follows

from caffelint.evidence.log.reader import Reader
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.values import LOSS, RATE, TEST, TRAIN, Logged, Point, Series, TrainingLog

LOGS = sorted((Path(__file__).parents[2] / "fixtures" / "logs").glob("*.log"))
_LINE = re.compile(r"(?:Iteration (\d+).*?, (?:loss|lr)|(?:Train|Test) net output #\d+: .+?) = (\S+)")


def read(data: bytes | str, size: int = 1 << 20) -> TrainingLog:
    reader = Reader("log")
    data = data.encode() if isinstance(data, str) else data
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    return reader.end()


def numbers(data: bytes, size: int = 1 << 20) -> list[str]:
    found: list[str] = []

    def heard(run: Logged, series: Series, point: Point) -> None:
        found.append(str(point.value))

    reader = Reader("log", heard)
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    reader.end()
    return sorted(found)


def line_by_line(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if found := _LINE.search(line):
            yield str(float(found[2]))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
@pytest.mark.parametrize("size", [61, 1 << 20])
def test_every_number_is_read(path: Path, size: int) -> None:
    """As a plain reading line by line gives them, wherever the pieces end."""
    data = path.read_bytes()
    assert numbers(data, size) == sorted(line_by_line(data.decode()))
    assert read(data, size).lines == data.count(b"\n")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_texts_are_whole(path: Path) -> None:
    log = read(path.read_bytes(), 999)
    run = log.run
    assert run
    recovered = Recovered(run)
    assert recovered.solver
    assert recovered.solver.message.max_iter
    lines = path.read_text().split("\n")
    for text in run.texts:
        assert text.whole
        assert text.data.decode().rstrip("\n").split("\n") == lines[text.line - 1 :][: text.data.count(b"\n")]


OLD = """I0918 02:05:55.594948  5721 solver.cpp:232] Iteration 0, Testing net (#0)
I0918 02:06:02.779670  5721 solver.cpp:270] Test score #0: 0.1
I0918 02:06:02.779747  5721 solver.cpp:270] Test score #1: 2.30258
I0918 02:06:02.857022  5721 solver.cpp:195] Iteration 0, loss = 2.30264
I0918 02:06:38.561959  5721 solver.cpp:195] Iteration 200, loss = nan
"""


def test_oldest_test_scores() -> None:
    run = read(OLD).run
    assert run
    assert [(one.name, one.values) for one in run.outputs(TEST)] == [("#0", [0.1]), ("#1", [2.30258])]
    assert run.loss
    assert run.loss.bad
    assert run.loss.bad.iteration == 200
    assert run.loss.bad.line.number == 5
    assert run.loss.good == (0, 2.30264)


@pytest.mark.parametrize(
    "line",
    [
        "I20240404 16:55:15.732383 72497 solver.cpp:313] Iteration 20, loss = 0.5",
        "I0404 16:55:15.732383 72497 solver.cpp:313] Iteration 20 (3.2 iter/s, 0.3s/100 iter), loss = 0.5",
        "I0404 16:55:15.732383 72497 solver.cpp:313] Iteration 20 (3.2 iter/s, 0.3s/100 iter), 1.2/10ep, loss = 0.5",
        "I0115 14:49:27.785917 12606 solver.cpp:224] Iteration 20 (3 iter/s), loss = 0.5  [ 20 / 70000 ] -> [ 1:60 ]",
        "[3] I0404 16:55:15.732383 72497 solver.cpp:313] Iteration 20, loss = 0.5",
        "I0404 16:55:15.732383 72497 solver.cpp:313] \x1b[32mIteration 20, loss = 0.5\x1b[0m",
        "1508138445  INFO: src/caffe/solver.cpp : line 218 : Iteration 20 (-0.4 iter/s, 183.2s/1 iters), loss = 0.5",
        "Iteration 20, loss = 0.5",
        "  Iteration 20, loss = 0.5\r",
    ],
)
def test_prefixes(line: str) -> None:
    run = read(f"some print\n{line}\nother print\n").run
    assert run
    assert run.loss
    assert [(point.iteration, point.value) for point in run.loss.points] == [(20, 0.5)]
    assert run.loss.points[0].line.text in line


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("nan", math.nan),
        ("-nan", math.nan),
        ("-nan(ind)", math.nan),
        ("-1.#IND", math.nan),
        ("1.#QNAN", math.nan),
        ("1.#INF", math.inf),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("1e+38", 1e38),
        ("3.5e-05", 3.5e-5),
        ("NaN", math.nan),
    ],
)
def test_values(text: str, value: float) -> None:
    run = read(f"I0404 16:55:15.732383 72497 solver.cpp:313] Iteration 20, loss = {text}\n").run
    assert run
    assert run.loss
    assert str(run.loss.points[0].value) == str(value)
    assert (run.loss.bad is not None) == (not abs(value) < 1e30)


def test_cut_numbers_are_not_read() -> None:
    """What the end of the file or another line breaks off may be part of a number."""
    head = "I0404 16:55:15.732383 72497 solver.cpp:313] Iteration"
    run = read(
        f"{head} 20, loss = 0.5\n{head} 40, loss = 0.I0404 16:55:15.73 7 solver.cpp:1] x\n{head} 60, loss = 0."
    ).run
    assert run
    assert run.loss
    assert [point.iteration for point in run.loss.points] == [20]


def test_runs_of_one_file() -> None:
    """A run that begins anew after a failure, and one that is resumed."""
    text = LOGS[0].read_text()
    log = read(text + "I0404 16:55:15.73 7 solver.cpp:1] Resuming from a.solverstate\n" + text)
    assert len(log.runs) == 2
    lines = len(text.splitlines())
    assert log.runs[1].line == log.runs[0].line + lines + 1


def test_rates_by_iteration() -> None:
    at = "I0404 16:55:15.732383 72497 sgd_solver.cpp:106]"
    run = read("".join(f"{at} Iteration {10 * n}, lr = {0.1 / (n + 1):.6g}\n" for n in range(5))).run
    assert run
    assert run.rate_at(25) == run.rate.points[2] if run.rate else False
    assert run.of(TRAIN, RATE)
    assert run.of(TRAIN, LOSS) is None


@pytest.mark.parametrize("seed", range(3))
def test_junk(seed: int) -> None:
    junk = random.Random(seed).randbytes(300_000)
    assert not read(junk, 4096).numbers


def test_one_long_line_is_not_kept() -> None:
    reader = Reader("log")
    for _ in range(40):
        reader.feed(b"x" * (1 << 20))
    assert len(reader._rest) < 4 << 20
    reader.feed(b"\nI0404 16:55:15.732383 72497 solver.cpp:313] Iteration 20, loss = 0.5\n")
    assert reader.end().numbers == 1


def test_of_many_numbers_few_are_kept() -> None:
    head = "I0404 16:55:15.732383 72497 solver.cpp:313] Iteration"
    reader = Reader("log")
    for part in range(20):
        rows = [f"{head} {part * 10_000 + n}, loss = {(part * 10_000 + n) % 7 + 1}\n" for n in range(10_000)]
        reader.feed("".join(rows).encode())
    reader.feed(f"{head} 200000, loss = nan\n".encode())
    run = reader.end().run
    assert run
    assert run.loss
    assert len(run.loss.points) <= 4096
    assert reader.log.sampled
    assert run.loss.bad
    assert run.loss.bad.iteration == 200_000
    assert run.loss.bad.line.number == 200_001


FIRST = "] Iteration 1, loss = 1\n"
HOSTILE = {
    "scores": (FIRST, "] Test score #1: 1"),
    "layers": (FIRST, "] Creating Layer a "),
    "copied": (FIRST, "] Copying source layer a "),
    "snapshots": (FIRST, "] Snapshotting a "),
    "weights": (FIRST, "] Finetuning from "),
    "fatal": (f"{FIRST}F0101 00:00:00 1 a:1] ", "] Waiting for data"),
    "texts": (FIRST, "] Initializing net from parameters\n"),
    "runs": (FIRST, "] Initializing solver from parameters:\n] Iteration 1, loss = 1\n"),
    "measured": (FIRST, "] [Forward] Layer , top blob x: nan , top blob x"),
    "a measured blob": (f"{FIRST}] [Forward] Layer ", ", top x "),
    "tracebacks": (FIRST, "Traceback (most recent\n"),
    "dates": (
        FIRST,
        "I1231 00:00:00.0 1 a.cpp:1] Iteration 1, loss = 1\nI0101 00:00:00.0 1 a.cpp:1] Iteration 2, loss = 1\n",
    ),
}
"""How a log begins, and what comes after that, again and again."""


@pytest.mark.parametrize("name", HOSTILE)
def test_time_and_memory_follow_the_size(name: str) -> None:
    first, more = HOSTILE[name]

    def feed(size: int) -> None:
        data = (first + more * (size // len(more)) + "\n").encode()
        reader = Reader("x", lambda *_: None)
        for begin in range(0, size, 1 << 20):
            reader.feed(data[begin : begin + (1 << 20)])
        reader.end()

    tracemalloc.start()
    feed(100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15 << 20
    assert follows(feed, 100_000, 1_600_000)


def test_a_log_that_begins_with_debug_info() -> None:
    log = read("] [Forward] Layer ip, top blob ip data: nan\n")
    assert [one.lines[0].layer for one in log.runs[0].passes] == ["ip"]


def _message(words: str, net: str) -> str:
    return f"I1122 13:11:00.000000 17644 net.cpp:53] {words}\n{net}I1122 13:11:00.000001 17644 net.cpp:9] x\n"


def test_what_glog_cut_is_not_whole() -> None:
    """It keeps 30,000 bytes of a message, with its prefix and its newline; the braces may be balanced where it cuts."""
    head = "Initializing net from parameters: "
    room = 29_999 - len(_message(head, "").splitlines()[0]) - 1
    net = ("layer {\n}\n" * 4000)[: room - 2] + "l\n"
    log = read(_message(head, net))
    assert [text.whole for text in log.runs[0].texts] == [False]
    log = read(_message(head, "layer {\n}\n" * 40))
    assert [text.whole for text in log.runs[0].texts] == [True]


def test_what_a_recurrent_layer_makes_of_itself_is_no_net_of_its_own() -> None:
    inner = 'layer {\n  name: "lstm1_"\n  type: "Input"\n}\nlayer {\n  name: "lstm1_cont_slice"\n}\n'
    outer = 'layer {\n  name: "lstm1"\n  type: "LSTM"\n}\n'
    begun = "I1122 13:11:00.000000 17644 net.cpp:86] Creating Layer lstm1\n"
    head = "Initializing net from parameters: "
    log = read(_message(head, outer) + begun + _message(head, inner))
    assert [text.data.decode() for text in log.runs[0].texts] == [outer]


def test_a_run_that_was_stopped_is_no_run_that_ended() -> None:
    """What Caffe 1.0 prints after SIGINT (solver.cpp, Solve)."""
    first = "I1122 13:11:00.000000 17644 solver.cpp:218] Iteration 0, loss = 1\n"
    stopped = "I1122 13:11:00.000000 17644 solver.cpp:301] Optimization stopped early.\n"
    done = "I1122 13:11:00.000000 17644 caffe.cpp:259] Optimization Done.\n"
    assert read(first + stopped + done).runs[0].stopped_early
    assert not read(first + done).runs[0].stopped_early
    assert read(first + done).runs[0].done


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Fatal Python error: init_fs_encoding: failed to get the Python codec of the filesystem encoding", "raised"),
        (
            "F0604 13:21:12.000000 9 syncedmem.hpp:31] Check failed: error == cudaSuccess (29 vs. 0)"
            "  driver shutting down",
            "at exit",
        ),
    ],
)
def test_ends(line: str, kind: str) -> None:
    begun = "I1122 13:11:00.000000 17644 solver.cpp:218] Iteration 0, loss = 1\n"
    assert [one.kind for one in read(f"{begun}{line}\n").runs[0].ended] == [kind]
