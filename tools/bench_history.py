"""The figures of every `make bench`: bench.jsonl holds one JSON object a run.

    python tools/bench_history.py      draws docs/pictures/bench.svg

Only runs of one machine can be compared, and of one set of files; each has its own line.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
HISTORY = ROOT / "bench.jsonl"
PICTURE = ROOT / "docs/pictures/bench.svg"
_PROCESSORS = Path("/proc/cpuinfo")


def machine() -> str:
    """The processor and how many there are."""
    text = _PROCESSORS.read_text() if _PROCESSORS.exists() else ""
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} processors"


def commit() -> str:
    """The commit; with a mark where files differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def add(figures: Mapping[str, float], files: str, history: Path = HISTORY) -> None:
    """Add the figures of a run."""
    row = {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit(),
        "machine": machine(),
        "python": platform.python_version(),
        "files": files,
        "figures": {name: round(value, 4) for name, value in figures.items()},
    }
    with history.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def rows(history: Path = HISTORY) -> list[dict[str, Any]]:
    return [json.loads(line) for line in history.read_text("utf-8").splitlines()] if history.exists() else []


def draw(history: Path = HISTORY, picture: Path = PICTURE) -> None:
    """One diagram for each figure, runs in the order of time."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "caffelint"  # the same bytes for the same rows
    every = rows(history)
    names = [*dict.fromkeys(name for row in every for name in row["figures"])]
    figure = Figure(figsize=(11, 2.2 * len(names)), layout="constrained")
    for axis, name in zip(figure.subplots(len(names), squeeze=False)[:, 0], names, strict=True):
        lines: dict[str, list[tuple[int, float]]] = {}
        for number, row in enumerate(every):
            if name in row["figures"]:
                where = f"{row['machine']}, Python {row['python']}; {row['files']}"
                lines.setdefault(where, []).append((number, row["figures"][name]))
        for where, points in lines.items():
            axis.plot(*zip(*points, strict=True), marker="o", label=where)
        axis.set(title=name, ylim=(0, None))
        axis.set_xticks(range(len(every)), [row["commit"] for row in every], rotation=30, ha="right", fontsize=6)
        axis.grid(alpha=0.3)
        axis.legend(fontsize=6)
    figure.savefig(picture, metadata={"Date": None, "Creator": "caffelint"})


if __name__ == "__main__":
    draw()
    print(f"wrote {PICTURE}")
