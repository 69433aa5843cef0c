"""Check a folder in one process, then over a cluster of 1 and 2 processes here, some killed: same bytes, at what cost?

    python tools/bench_cluster.py FOLDER [KILLS]     default: 3

Prints the processor time of each way, which other programs on the machine change little, and what more of it a file
takes over a cluster. From these it works out how long a million files take on 1 to 64 workers; that is marked so.
"""

from __future__ import annotations

import io
import os
import random
import sys
import threading
import time
from typing import Any

from psutil import NoSuchProcess, Process

from caffelint.cluster.check import check
from caffelint.cluster.workers import connected
from caffelint.lint.config import Config
from caffelint.lint.report import Report
from caffelint.report import Look, write

MILLION = 1_000_000


def text(report: Report) -> str:
    out = io.StringIO()
    write("json", report, out, Look(least="info"))
    return out.getvalue()


def cpu_seconds(process: Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def kill(cluster: Any, kills: int, every: float, done: threading.Event) -> None:
    """End processes of the cluster while they work; wait where the last one has not been started again yet."""
    dice = random.Random(1)
    while kills and not done.wait(every):
        if alive := [worker.pid for worker in cluster.workers.values() if worker.pid]:
            os.kill(process := dice.choice(alive), 9)
            print(f"  killed process {process}")
            kills -= 1


def shared(
    paths: list[str], config: Config, workers: int, kills: int, every: float
) -> tuple[Report, float, float, float]:
    """The report, seconds, and processor seconds of all processes and of this one, which hands out the work.

    kills: those that are killed take theirs along.
    """
    with connected(f"local:{workers}") as client:
        done = threading.Event()
        killer = threading.Thread(target=kill, args=(client.cluster, kills, every, done))
        processes = [Process(), *Process().children(recursive=True)]
        before, own = sum(map(cpu_seconds, processes)), cpu_seconds(Process())
        start = time.perf_counter()
        killer.start()
        report = check(paths, config, client)
        taken, own = time.perf_counter() - start, cpu_seconds(Process()) - own
        done.set()
        killer.join()
        used = 0.0
        for process in [Process(), *Process().children(recursive=True)]:
            try:
                used += cpu_seconds(process)
            except NoSuchProcess:
                continue
        return report, taken, used - before, own


def main() -> None:
    paths = [sys.argv[1]]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    config = Config()
    config.cache = False
    here = Process()
    before, start = cpu_seconds(here), time.perf_counter()
    alone = check(paths, config)
    used, taken = cpu_seconds(here) - before, time.perf_counter() - start
    files = alone.files
    reference = text(alone)
    print(f"{files} files, one process: {taken:.1f} s, {used:.1f} s of processor time")
    spent = own = 0.0
    for workers in (1, 2):
        report, wall, spent, own = shared(paths, config, workers, 0, 0)
        same = text(report) == reference
        print(
            f"{workers} workers: {wall:.1f} s, {spent:.1f} s of processor time ({spent / used - 1:+.0%}),"
            f" {own:.1f} s of it to hand out, output {'the same' if same else 'DIFFERS'}"
        )
    report, wall, *_ = shared(paths, config, 2, kills, max(taken / (kills + 2), 1))
    same = text(report) == reference
    print(f"2 workers, {kills} killed: {wall:.1f} s, output {'the same' if same else 'DIFFERS'}")
    a_file, handing = (spent - own) / files, own / files
    print(f"worked out: {MILLION:,} files at {a_file * 1e3:.1f} ms each, {handing * 1e3:.2f} ms to hand one out:")
    for workers in (1, 2, 8, 64):
        # One process hands out the work while the others work, and bounds what more of them bring.
        print(f"  {workers:3} workers: {MILLION * max(a_file / workers, handing) / 60:.0f} min")


if __name__ == "__main__":
    main()
