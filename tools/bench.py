"""Times caffelint against protobuf's own Python parser, over a folder of prototxt files: `make bench DIR=folder`; then
nets of its own against a real Caffe, where `make caffe` installed one.

All figures of one run stand side by side, since only their ratios mean anything on another machine. They are added to
bench.jsonl with the commit and the machine, and tools/bench_history.py draws how they change.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import bench_history
from bench_nets import NETS
from google.protobuf import text_format
from google.protobuf.message import Message

import caffelint
from caffelint.lint.file import load
from caffelint.lint.garbage import rare_collections
from caffelint.schema import NetParameter, SolverParameter
from caffelint.schema.detect import SOLVER, detect
from caffelint.text.parser import parse

COLD_RUNS = 15
WARM_UP = Path(__file__).parent.parent / "fixtures"
"""Checked before the clock starts: rules load when their layer type first comes up, which `cold` counts."""
CHECK = [str(Path(sys.executable).with_name("caffelint")), "check", "--format", "json"]
CAFFELINT = [*CHECK, "--no-cache"]
CAFFE = Path(__file__).parent.parent / ".caffe/caffe-python"
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""With modules compiled once, as an installation has them."""
BARE = [sys.executable, "-c", "import click, google.protobuf.message"]


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    work()
    return clock() - start


def check(path: Path, data: bytes) -> None:
    """A failed check is a fast one: it must not count."""
    report = caffelint.check_text(data, path=str(path))
    if report.failures:
        sys.exit(f"{path}: {report.failures[0].message}")


def run(*command: str, **environment: str) -> None:
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env=COMPILED | environment).returncode
    if status not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with status {status}")


def readable(data: bytes, message: type[Message]) -> bool:
    """Whether protobuf's Python parser gets through a text; where it stops early its time says nothing."""
    try:
        text_format.Parse(data, message())
    except (text_format.ParseError, UnicodeDecodeError):
        return False
    return True


def in_process(files: list[Path]) -> dict[str, float]:
    """A full check (parse, bind, all rules) against `text_format.Parse` alone, file by file in turn.

    It takes processor time, which other programs change little. Each text is new when it is checked: known blocks are
    those of the files before it.
    """
    texts = [(path, path.read_bytes()) for path in files]
    for path in sorted(WARM_UP.rglob("*.prototxt")):
        check(path, path.read_bytes())
    ours = theirs = 0.0
    slowest, compared, size = (0.0, files[0]), 0, 0
    for path, data in texts:
        taken = seconds(lambda path=path, data=data: check(path, data), time.process_time)
        message = SolverParameter if detect(parse(data))[0] == SOLVER else NetParameter
        slowest = max(slowest, (taken, path))
        if readable(data, message):
            ours += taken
            theirs += seconds(lambda data=data, message=message: text_format.Parse(data, message()), time.process_time)
            compared += 1
            size += len(data)
    print(f"{len(texts)} files; protobuf's Python parser reads {compared} of them, {size / 1e6:.1f} MB:")
    print(f"  full check          {ours:8.2f} s")
    print(f"  text_format.Parse   {theirs:8.2f} s")
    print(f"  ratio               {ours / theirs:8.2f}      (target: at most 0.5)")
    print(f"  slowest file        {slowest[0]:8.2f} s    {slowest[1]}")
    return {"check / text_format.Parse": ours / theirs}


def cold(files: list[Path]) -> dict[str, float]:
    """The command on one file of middling size against a Python that imports what it needs, in turn.

    Once with nothing stored, and once with the result of a run before.
    """
    one = str(sorted(files, key=lambda path: path.stat().st_size)[len(files) // 2])
    commands = {"check": [*CAFFELINT, one], "stored": [*CHECK, one], "bare": BARE}
    times: dict[str, list[float]] = {name: [] for name in commands}
    with TemporaryDirectory() as cache:
        for number in range(COLD_RUNS + 1):
            for name, command in commands.items():
                taken = seconds(lambda command=command: run(*command, XDG_CACHE_HOME=cache))
                times[name] += [taken] if number else []  # the first compiles and stores
    check, stored, bare = (statistics.median(times[name]) for name in commands)
    print(f"cold start, median of {COLD_RUNS}, {one}:")
    print(f"  caffelint check     {check * 1e3:8.0f} ms")
    print(f"  with its result     {stored * 1e3:8.0f} ms")
    print(f"  bare imports        {bare * 1e3:8.0f} ms")
    print(f"  ratios              {check / bare:8.2f} {stored / bare:.2f} (target: at most 2.0)")
    return {"cold start / bare imports": check / bare, "cold start with a result / bare imports": stored / bare}


def whole_folder(folder: Path, count: int) -> dict[str, float]:
    """The command on the whole folder, with one job and with two; files a second, by jobs."""
    found = {}
    print("the whole folder:")
    for jobs in (1, 2):
        start = time.perf_counter()
        child = subprocess.Popen([*CAFFELINT, "--jobs", str(jobs), str(folder)], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        taken = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        memory = used.ru_maxrss / 1024 if sys.platform != "darwin" else used.ru_maxrss / 1024**2
        print(f"  {jobs} job{'s' * (jobs > 1)}               {count / taken:8.0f} files/s, peak memory {memory:.0f} MB")
        if child.returncode not in (0, 1):
            sys.exit(f"caffelint ended with status {child.returncode}")
        found[f"files a second, {jobs} job{'s' * (jobs > 1)}"] = count / taken
    return found


LOAD = """
import sys, time
import caffe
for path in sys.argv[1:]:
    start = time.process_time()
    caffe.Net(path, caffe.TRAIN)
    print(time.process_time() - start)
"""


def nets() -> dict[str, float]:
    """From the text to the built net, and to all findings, against a real Caffe that loads the same net.

    The first build has none of the net's blocks to go by; the best of three later ones has them all. Processor time.
    """
    found = {}
    print("nets; a layer's time should stay the same as nets grow:")
    print("                   layers    first    again  per layer    check  per layer   caffe.Net  ratio to the first")
    for name, make in NETS.items():
        text = make()
        data = text.encode()
        count = text.count("layer {")
        first, *again = (seconds(lambda data=data: build_train(data), time.process_time) for _ in range(4))
        built = min(again)
        checked = min(seconds(lambda data=data: check(Path("net.prototxt"), data), time.process_time) for _ in range(3))
        row = f"  {name:15} {count:7} {first * 1e3:6.0f} ms {built * 1e3:5.0f} ms {built / count * 1e6:7.0f} us"
        row += f" {checked * 1e3:6.0f} ms {checked / count * 1e6:7.0f} us"
        loaded = load_time(text) if CAFFE.exists() else None
        print(row + (f" {loaded * 1e3:8.0f} ms {loaded / first:6.1f}" if loaded else "           -      -"))
        if loaded:
            found[f"caffe.Net / build, {name}"] = loaded / first
    return found


def build_train(data: bytes) -> None:
    with rare_collections():
        net = load(data, "net.prototxt").net
        if net is None or net.states()[0].refusals:
            sys.exit("a net of the bench does not load")


def load_time(text: str) -> float | None:
    """Seconds of caffe.Net alone, best of 3; None where this Caffe lacks a layer type."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "net.prototxt")
        path.write_text(text)
        done = subprocess.run([str(CAFFE), "-c", LOAD, *[str(path)] * 3], capture_output=True, text=True, check=False)
    return min(map(float, done.stdout.split())) if done.returncode == 0 else None


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "fixtures")
    files = sorted({*folder.rglob("*.prototxt"), *folder.rglob("*.prototxt.txt")})
    if not files:
        sys.exit(f"no prototxt file below {folder}")
    figures = in_process(files) | cold(files) | whole_folder(folder, len(files)) | nets()
    bench_history.add(figures, f"{folder.name}, {len(files)} files")


if __name__ == "__main__":
    main()
