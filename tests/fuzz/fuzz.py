"""Feeds mutated texts to the entry points of caffelint, and says which brought one down or took too long.

    python tests/fuzz/fuzz.py TARGET|all [--inputs N] [--seed S] [--jobs J] [--seeds FOLDER] [--out FOLDER]
    python tests/fuzz/fuzz.py TARGET --again FILE

Seeds are the examples of the rules, the fixtures, texts made from the schema and the files below `seeds/`; --seeds adds
a folder of others. Input number n of seed S is always the same. An input that fails is written to --out. Each is
allowed one second of CPU time and 64 MiB of memory, and for 100 KB of text one more and as much again; what does not
come back at all is ended, and told as well.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from mutators import mutant

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
TARGETS = tuple(sorted(path.stem for path in (HERE / "targets").glob("[a-z]*.py")))
SECONDS, BYTES = 1.0, 64 << 20
"""What any text may take; and again as much for each 100 KB of it."""
_PER = 100_000
_GRACE = 30
"""Seconds after which a process that does not answer to its own alarm is ended."""


class Failed(NamedTuple):
    """An input that failed: its number, what it is, and what happened."""

    number: int
    data: bytes
    reason: str


class TooLong(BaseException):
    """No `Exception`: caffelint itself catches those."""


# Seeds.


@lru_cache
def seeds(kind: str, more: str | None = None) -> tuple[bytes, ...]:
    """The texts of a kind to start from: `prototxt`, `solver`, or the name of a folder below `seeds/`."""
    if kind == "solver":
        return tuple(data for data in seeds("prototxt", more) if b"lr_policy" in data or b"base_lr" in data)
    found = [path.read_bytes() for path in sorted((HERE / "seeds" / kind).glob("*"))]
    if kind == "proto":
        sources = sorted((ROOT / "proto").rglob("*.proto"))
        found += [re.sub(rb"//[^\n]*|(?<=\n)\s+", b"", path.read_bytes()) for path in sources]
    if kind == "log":
        found += [path.read_bytes() for path in sorted((ROOT / "fixtures" / "logs").glob("*.log"))]
    if kind == "scripts":
        found += _examples((".py", ".sh", ".md"))
    if kind == "packed":
        found += [part for log in seeds("log") for part in (gzip.compress(log, mtime=0), log)]
    if kind == "data":
        from data_files import cases

        found += [bytes([number]) + case.files[case.damaged] for number, case in enumerate(cases())]
    if kind == "prototxt":
        found += [path.read_bytes() for path in sorted((ROOT / "fixtures").rglob("*.prototxt"))]
        found += [*_examples((".prototxt", "")), *_of_schema()]
        if more:
            found += [path.read_bytes() for path in sorted(Path(more).rglob("*")) if path.is_file()]
    return tuple(data for data in dict.fromkeys(found) if len(data) < 30_000)


def _examples(suffixes: tuple[str, ...]) -> Iterator[bytes]:
    """The files of these suffixes in the examples of rules; a text by itself has none."""
    from caffelint.lint.examples import texts_of
    from caffelint.lint.registry import all_rules

    for info in all_rules():
        for text in texts_of(info.load()):
            for path, part in {"": text}.items() if isinstance(text, str) else text.items():
                if Path(path).suffix in suffixes:
                    yield part.encode("utf-8", "surrogateescape")


def _of_schema() -> Iterator[bytes]:
    sys.path.append(str(ROOT / "tools"))
    from fuzz_text import write

    from caffelint.schema import NetParameter, SolverParameter

    chance = random.Random(0)
    for message in (NetParameter, SolverParameter):
        for _ in range(60):
            yield write(chance, message.DESCRIPTOR).encode()


# One process.


def _too_long(*_: object) -> None:
    raise TooLong


def attempt(run: Any, data: bytes) -> str:
    """Run a target over one text in the working directory; what went wrong, empty if nothing.

    What took too long is run once more: the first run of all may import what it needs.
    """
    limit = SECONDS * (1 + len(data) / _PER)
    with suppress(OSError):  # the peak so far is forgotten, or an input that takes less than an earlier one is not seen
        Path("/proc/self/clear_refs").write_text("5")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = limit + 1
    for _ in range(2):
        if taken <= limit:
            break
        start = time.process_time()
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, limit + 5)
        try:
            run(data)
        except TooLong:
            return f"took more than {limit + 5:.1f} s\n{traceback.format_exc(limit=-12)}"
        except BaseException:
            return traceback.format_exc(limit=-12)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        taken = time.process_time() - start
    if taken > limit:
        return f"took {taken:.1f} s"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    if grown > BYTES * (1 + len(data) / _PER):
        return f"took {grown >> 20} MiB"
    return ""


def input_of(name: str, seed: int, number: int, more: str | None) -> bytes:
    kind = importlib.import_module(f"targets.{name}").SEEDS
    return mutant(random.Random(f"{name} {seed} {number}"), seeds(kind, more))


def _work(name: str, seed: int, numbers: Sequence[int], more: str | None, told: Any) -> None:
    """Tells the number of each input before it is tried, and what was wrong with it after."""
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        run = importlib.import_module(f"targets.{name}").run
        for number in numbers:
            told.send(number)
            if reason := attempt(run, input_of(name, seed, number, more)):
                told.send((number, reason))
    told.send(None)


# All of them.


def fuzz(name: str, inputs: int, seed: int, jobs: int = 1, more: str | None = None) -> Iterator[Failed]:
    """Try so many inputs of a target, and give those that failed."""
    seeds(importlib.import_module(f"targets.{name}").SEEDS, more)  # once, before there are several processes
    context = get_context("fork")
    pending: dict[Any, tuple[Any, Sequence[int]]] = {}

    def start(numbers: Sequence[int]) -> None:
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=_work, args=(name, seed, numbers, more, there), daemon=True)
        child.start()
        there.close()
        pending[here] = child, numbers

    for job in range(jobs):
        start(range(job, inputs, jobs))
    last: dict[Any, tuple[int, float]] = {}
    from multiprocessing.connection import wait

    while pending:
        ready = wait(list(pending), timeout=5)
        for pipe in list(pending):
            child, numbers = pending[pipe]
            number, since = last.get(pipe, (numbers[0] if numbers else 0, time.monotonic()))
            reason = ""
            if pipe in ready:
                try:
                    said = pipe.recv()
                except EOFError:
                    child.join()
                    reason = f"ended the process with status {child.exitcode}"
                else:
                    if said is None:
                        child.join()
                        del pending[pipe]
                    elif isinstance(said, int):
                        last[pipe] = said, time.monotonic()
                    else:
                        yield Failed(said[0], input_of(name, seed, said[0], more), said[1])
                    continue
            elif time.monotonic() - since > 60 * _GRACE:
                child.kill()
                reason = "did not come back"
            last.setdefault(pipe, (number, since))
            if reason:
                del pending[pipe]
                yield Failed(number, input_of(name, seed, number, more), reason)
                if rest := [other for other in numbers if other > number]:
                    start(rest)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=(*TARGETS, "all"))
    parser.add_argument("--inputs", type=int, default=10_000, help="of each target")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seeds", metavar="FOLDER", help="more texts to start from")
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--again", type=Path, metavar="FILE", help="run one input that failed")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="backslashreplace")
    if options.again:
        data = options.again.read_bytes()
        run = importlib.import_module(f"targets.{options.target}").run
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            print(attempt(run, data) or "nothing wrong")
        return 0
    failed = 0
    for name in TARGETS if options.target == "all" else (options.target,):
        start = time.monotonic()
        count = 0
        for number, data, reason in fuzz(name, options.inputs, options.seed, options.jobs, options.seeds):
            count += 1
            options.out.mkdir(parents=True, exist_ok=True)
            saved = options.out / f"{name}-{options.seed}-{number}"
            saved.write_bytes(data)
            print(f"{name}: input {number} of seed {options.seed}, {len(data)} bytes, in {saved}: {reason}", flush=True)
        failed += count
        taken = time.monotonic() - start
        print(f"{name}: {options.inputs} inputs of seed {options.seed}, {count} failed, {taken:.0f} s", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
