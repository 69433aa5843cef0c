"""All numbers of a log: as CSV, a number a line, and as values for JSON."""

from __future__ import annotations

import csv
import io
import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from caffelint.evidence.log.values import LOSS, RATE, Logged, Point, Series, TrainingLog
from caffelint.text.visible import visible

COLUMNS = ("NumIters", "Seconds", "LearningRate", "Run", "Phase", "Net", "Output", "Value", "LossWeight", "Log")
"""The first three as Caffe's parse_log.py has them."""
_NAMES = {LOSS: "smoothed_loss", RATE: "learning_rate"}
_BLOCK = 1 << 16


class Csv:
    """Writes each number as it is read. write: takes text."""

    def __init__(self, write: Callable[[str], object]):
        self._write = write
        self._text = io.StringIO()
        self._rows = csv.writer(self._text, lineterminator="\n")
        self._rows.writerow(COLUMNS)
        self._runs: dict[int, tuple[Logged, int]] = {}
        self._rates: dict[int, float] = {}
        self.path = ""

    def heard(self, run: Logged, series: Series, point: Point) -> None:
        number = self._runs.setdefault(id(run), (run, len(self._runs)))[1]
        if series.name == RATE:
            self._rates[number] = point.value
        seconds = "" if math.isnan(point.seconds) else f"{point.seconds:.6g}"
        name = visible(_NAMES.get(series.name, series.name))
        weight = "" if series.weight is None else f"{series.weight:g}"
        rate = self._rates.get(number, "")
        log = visible(self.path)
        row = (point.iteration, seconds, rate, number, series.phase, series.net, name, point.value, weight, log)
        self._rows.writerow(row)
        if self._text.tell() > _BLOCK:
            self.flush()

    def flush(self) -> None:
        self._write(self._text.getvalue())
        self._text.seek(0)
        self._text.truncate()


class Numbers:
    """Keeps all numbers, eight bytes each."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[array[int], array[float], Series]] = {}

    def heard(self, run: Logged, series: Series, point: Point) -> None:
        iterations, values, _ = self._found.setdefault(id(series), (array("q"), array("d"), series))
        iterations.append(point.iteration)
        values.append(point.value)

    def of(self, series: Series) -> tuple[Sequence[int], Sequence[float]]:
        found = self._found.get(id(series))
        return (found[0], found[1]) if found else ((), ())


def as_json(logs: Sequence[TrainingLog], numbers: Numbers) -> list[dict[str, Any]]:
    """For the JSON report (docs/json.md); a number that is not finite is the word for it."""
    return [{"file": log.path, "lines": log.lines, "runs": [_run(run, numbers) for run in log.runs]} for log in logs]


def _run(run: Logged, numbers: Numbers) -> dict[str, Any]:
    return {
        "line": run.line,
        "done": run.done,
        "iteration": run.iteration,
        "seconds": None if math.isnan(run.seconds) else round(run.seconds, 3),
        "restored": run.restored[0] if run.restored else None,
        "weights": [name for name, _ in run.weights],
        "texts": [{"kind": one.kind, "line": one.line, "whole": one.whole} for one in run.texts],
        "snapshots": [{"iteration": one.iteration, "path": one.path} for one in run.snapshots],
        "ended": [{"kind": one.kind, "at": one.at, "layer": one.layer, "message": one.message} for one in run.ended],
        "ignored_layers": [name for name, _ in run.ignored],
        "outputs": [_series(series, numbers) for series in run.series.values()],
    }


def _series(series: Series, numbers: Numbers) -> dict[str, Any]:
    iterations, values = numbers.of(series)
    return {
        "phase": series.phase,
        "net": series.net,
        "name": _NAMES.get(series.name, series.name),
        "loss_weight": series.weight,
        "iterations": list(iterations),
        "values": [value if math.isfinite(value) else str(value) for value in values],
    }
