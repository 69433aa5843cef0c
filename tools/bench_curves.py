"""Time against size, for all that a text or a folder can have many of: `bench_curves.py [--page FILE] [NAME ...]`.

Sizes double until one takes long enough to be measured. The exponent is the slope of the logarithm of CPU time between
the largest size and a quarter of it, each the best of three with the garbage collector off: 1 is linear. What the
collector takes grows with the memory (it looks at everything only when that has grown by a quarter), but in steps.

Memory is slower where more of it is used, so the exponent of the calls of functions, which no cache changes, is told as
well, of a smaller size. --page writes both as a page of the documentation. Exits with 1 where both are above 1.1.
"""

from __future__ import annotations

import argparse
import gc
import math
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from bench_texts import FOLDERS, LOGS, SOLVER, TEXTS

import caffelint
from caffelint.caffe.learning_rate import schedule
from caffelint.cli.main import main as caffelint_main
from caffelint.deploy.facts import names
from caffelint.evidence.log.reader import Reader
from caffelint.evidence.log.watch import Watch
from caffelint.fix.deploy import DeployError, compare, deploy
from caffelint.fix.finite import insert_checks
from caffelint.fix.run import fix
from caffelint.fix.upgrade import upgrade_text
from caffelint.lint.config import Config
from caffelint.lint.file import load
from caffelint.lint.summary import summarize

Meter = Callable[[Callable[[], object]], float]
"""Seconds, or calls, that something takes."""
Measure = Callable[[int, Meter], float]
"""Of a size, by a meter."""

ENOUGH, LARGEST, MOST = 0.2, 1 << 17, 1.1
_COUNTED = 1024
"""Seconds that the largest size takes at least, or that many of what is counted; the largest exponent."""
PAGE = """# Time against size

How CPU time grows with what a text or a folder may have many of. The exponent is the slope on logarithmic axes between
a quarter of the size and the size: 1 is linear. The last column is the exponent of the number of function calls.
Written by `python tools/bench_curves.py --page docs/time.md` (Python {version}).

| What | Of | Seconds | Exponent | of calls |
| --- | ---: | ---: | ---: | ---: |
"""


def check(text: str) -> None:
    report = caffelint.check_text(text)
    if report.failures:
        sys.exit(report.failures[0].message)


def trained(text: str) -> None:
    """A net beside its solver."""
    config = Config()
    config.cache, config.jobs = False, 1
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "net.prototxt").write_text(text)
        Path(folder, "solver.prototxt").write_text(SOLVER)
        caffelint.check([folder], config)


def summary(text: str) -> None:
    for _ in summarize(text.encode(), "net.prototxt"):
        pass


def patch(text: str) -> None:
    insert_checks(text.encode(), "all")


def upgrade(text: str) -> None:
    upgrade_text(text.encode(), "net.prototxt")


def mend(text: str) -> None:
    fix([], Config(), unsafe=True, write=False, texts={"net.prototxt": text.encode()}, alone=True)


def rates(text: str) -> None:
    solver = load(text.encode()).solver
    assert solver is not None
    schedule(solver.message).rate(10**6)


def predicted(text: str) -> None:
    """What `scales` and `lr --suggest` foresee of a net and its solver."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        Path(folder, "net.prototxt").write_text(text)
        solver = Path(folder, "solver.prototxt")
        solver.write_text(SOLVER)
        caffelint_main(["scales", str(solver)])
        caffelint_main(["lr", "--suggest", str(solver)])


def targets(text: str) -> None:
    config = Config()
    config.target = names()
    if failures := caffelint.check_text(text, config=config).failures:
        sys.exit(failures[0].message)


def deployed(text: str) -> None:
    with suppress(DeployError):
        deploy(text.encode())


def compared(text: str) -> None:
    with suppress(DeployError):
        compare(text.encode(), text.encode())


def followed(text: str) -> None:
    """A line at a time."""
    reader, watch = Reader("train.log"), Watch(["nan", "stuck"])
    for line in text.encode().splitlines(keepends=True):
        reader.feed(line)
        watch.looks_at(reader.log)
    reader.end()


def curves() -> dict[str, Measure]:
    """What to measure by size, for each thing that there may be many of."""
    found = {f"check: {name}": of_text(check, make) for name, make in TEXTS.items()}
    nets = {name: make for name, make in TEXTS.items() if "layer" in make(1)}
    found |= {f"check with a solver: {name}": of_text(trained, make) for name, make in nets.items()}
    found |= {f"check: {name}": of_folder(make) for name, make in FOLDERS.items()}
    for name in ("layers", "layers that read one blob", "tops of one name, in place", "losses", "tops of a layer"):
        found[f"summary: {name}"] = of_text(summary, TEXTS[name])
        found[f"patch: {name}"] = of_text(patch, TEXTS[name])
    found["patch: text on one line"] = of_text(patch, TEXTS["text on one line"])
    faults = ("tops of one name", "unknown fields", "unknown layers", "broken lines", "bottoms that nobody makes")
    faults += ("misspelt fields", "misspelt fields of a name each", "repeated fields", "parameter layers of one name")
    faults += ("equal tops of a layer", "falling stepvalue of a solver", "equal stepvalue of a solver")
    for name in (*faults, "base_lr of a solver", "constant fillers"):
        found[f"fix: {name}"] = of_text(mend, TEXTS[name])
    for name in ("layers", "layers that read one blob", "blobs of one Concat", "blobs of one product", "losses"):
        found[f"scales, lr --suggest: {name}"] = of_text(predicted, TEXTS[name])
    for name in ("old layers", "inputs of a net", "comments", "base_lr of a solver"):
        found[f"upgrade: {name}"] = of_text(upgrade, TEXTS[name])
    for name in ("layers", "losses", "layers that read one blob", "tops of a layer"):
        found[f"check --target: {name}"] = of_text(targets, TEXTS[name])
        found[f"deploy: {name}"] = of_text(deployed, TEXTS[name])
        found[f"deploy --check: {name}"] = of_text(compared, TEXTS[name])
    for name, log in LOGS.items():
        found[f"log --follow: {name}"] = of_text(followed, log)
    found["lr: stepvalue of a solver"] = of_text(rates, TEXTS["stepvalue of a solver"])
    return found


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, those in C too."""
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def of_text(work: Callable[[str], None], make: Callable[[int], str]) -> Measure:
    def measure(size: int, meter: Meter) -> float:
        text = make(size)
        return meter(lambda: work(text))

    return measure


def of_folder(make: Callable[[Path, int], None]) -> Measure:
    def measure(size: int, meter: Meter) -> float:
        config = Config()
        config.cache, config.jobs = False, 1
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), size)
            return meter(lambda: caffelint.check([folder], config))

    return measure


def cpu_seconds(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    start = time.process_time()
    try:
        work()
    finally:
        taken = time.process_time() - start
        gc.enable()
    return taken


class Curve(NamedTuple):
    """size, seconds: of the largest that was measured. exponent: of the time. of_calls: of the calls of functions."""

    size: int
    seconds: float
    exponent: float
    of_calls: float


def curve(measure: Measure) -> Curve:
    measure(4, cpu_seconds)
    taken: dict[int, float] = {}
    size = 64
    while True:
        taken[size] = measure(size, cpu_seconds)
        if size >= LARGEST or taken[size] > ENOUGH and size > 256:
            break
        size *= 2
    for again in (size // 4, size) * 2:  # others may have run at the same time
        taken[again] = min(taken[again], measure(again, cpu_seconds))
    counted = min(size, _COUNTED)
    more, less = measure(counted, calls), measure(counted // 4, calls)
    return Curve(size, taken[size], _exponent(taken[size], taken[size // 4]), _exponent(more, less))


def _exponent(more: float, less: float) -> float:
    """Of something at a size and at a quarter of it."""
    return math.log(more / less) / math.log(4)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="those with this in their names alone")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write them as a page of the documentation")
    options = parser.parse_args()
    over = 0
    rows = []
    print(f"{'':60} {'size':>8} {'seconds':>8} exponent of calls")
    for name, measure in curves().items():
        if options.names and not any(word in name for word in options.names):
            continue
        found = curve(measure)
        is_over = min(found.exponent, found.of_calls) > MOST
        over += is_over
        mark = f"  <- above {MOST}" if is_over else ""
        print(
            f"{name:60} {found.size:8} {found.seconds:8.2f} {found.exponent:8.2f} {found.of_calls:8.2f}{mark}",
            flush=True,
        )
        rows.append(
            f"| {name} | {found.size:,} | {found.seconds:.2f} | {found.exponent:.2f} | {found.of_calls:.2f} |\n"
        )
    if options.page:
        options.page.write_text(PAGE.format(version=platform.python_version()) + "".join(rows), "utf-8")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
