"""What a log holds, in a few lines: its runs, how far they came, and their numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.values import TEST, Logged, Point, TrainingLog
from caffelint.lint.words import listed
from caffelint.text.visible import visible

_ROWS = 8
_RUNS = 5
_COLUMNS, _FEWEST = 72, 8
Draw = Callable[[Sequence[float]], Sequence[str]]


def lines_of(log: TrainingLog, draw: Draw, solvers: Sequence[str] = ()) -> Iterator[str]:
    """One block of lines for each of the last runs, the last one's loss drawn by `draw`, a column a value.

    solvers: that may have run, for a log which holds no text.
    """
    count = len(log.runs)
    yield visible(f"{log.path}: {log.lines:,} lines, {_counted(count, 'run')}, {_counted(log.numbers, 'number')} read")
    if log.sampled:
        yield "  of so many numbers every 64th part was read, and all that is not finite; --format csv reads each"
    for number, run in enumerate(log.runs[-_RUNS:], max(count - _RUNS, 0) + 1):
        yield visible(f"run {number}, from line {run.line}: {_short(run)}")
        yield from _table(run)
        if run is log.run and (columns := _columns(run)):
            yield "  loss over the iterations"
            yield from (f"  {line}" for line in draw(columns))
    if solvers and log.run is not None and not log.run.texts:
        yield visible(f"  the log holds no solver; give the one that ran, as in --solver {solvers[0]}, to check it")
    yield ""


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _short(run: Logged) -> str:
    parts = []
    loss = run.loss
    recovered = Recovered(run)
    solver = recovered.solver
    last = solver.message.max_iter if solver else 0
    if loss and loss.points:
        of = f" of {last}" if last else ""
        parts.append(f"iterations {loss.points[0].iteration} to {run.iteration}{of}")
    if epochs := _epochs(run, recovered):
        parts.append(epochs)
    if run.restored:
        parts.append(f"resumed from {run.restored[0]}")
    parts += [f"weights from {name}" for name, _ in run.weights[:1]]
    if not math.isnan(run.seconds) and run.seconds > 0:
        parts.append(_duration(run.seconds))
        if loss and len(loss.points) > 1 and (left := _left(loss.points, run, last)):
            parts.append(left)
    if texts := Counter((one.kind, "" if one.whole else " (cut off)") for one in run.texts):
        kinds = [f"{_counted(many, kind) if many > 1 else f'the {kind}'}{cut}" for (kind, cut), many in texts.items()]
        parts.append(f"holds {listed(kinds)}")
    states = sum(not one.is_state for one in run.snapshots)
    if states:
        parts.append(_counted(states, "snapshot"))
    if run.done or run.ended or solver or loss:
        done = "stopped early" if run.stopped_early else "ended well"
        parts.append(done if run.done else "aborted" if run.ended else "not ended")
    return ", ".join(parts)


def _left(points: Sequence[Point], run: Logged, last: int) -> str:
    """Time an iteration, and for the rest."""
    timed = [point for point in points if not math.isnan(point.seconds)]
    if len(timed) < 2 or timed[-1].iteration <= timed[0].iteration:
        return ""
    each = (timed[-1].seconds - timed[0].seconds) / (timed[-1].iteration - timed[0].iteration)
    text = f"{each:.3g} s an iteration"
    if last > (run.iteration or 0) and not run.ended and not run.done and each > 0:
        text += f", {_duration(each * (last - (run.iteration or 0)))} left"
    return text


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _table(run: Logged) -> Iterator[str]:
    loss = run.loss
    if loss is None or not loss.points:
        return
    yield f"{'iteration':>11}  {'rate':>10}  {'loss':>12}"
    for point in _some(loss.points):
        rate = run.rate_at(point.iteration)
        shown = f"{rate.value:.4g}" if rate is not None else ""
        yield f"{point.iteration:>11}  {shown:>10}  {point.value:>12.5g}"
    for series in run.outputs(TEST):
        values = ", ".join(f"{point.iteration}: {point.value:.4g}" for point in _some(series.points, 5))
        yield visible(f"  TEST net {series.net} {series.name}: {values}")


def _columns(run: Logged) -> list[float]:
    """The loss in equal parts of the run; nan for one without a finite value. Empty where there is little to draw."""
    points = run.loss.points if run.loss else []
    if len(points) < _FEWEST:
        return []
    count = min(_COLUMNS, len(points))
    cuts = [round(len(points) * part / count) for part in range(count + 1)]
    parts = ([point.value for point in points[a:b] if math.isfinite(point.value)] for a, b in pairwise(cuts))
    return [median(part) if part else math.nan for part in parts]


def _epochs(run: Logged, recovered: Recovered) -> str:
    """How many times all images were seen, where the log tells how many there are."""
    built, solver = recovered.built, recovered.solver
    for layer in built.layers if built and solver else ():
        images = run.images.get(layer.name)
        shape = layer.tops[0].shape if layer.tops else None
        if images and shape and run.iteration and solver:
            seen = run.iteration * shape[0] * max(solver.message.iter_size, 1)
            return f"{seen / images:.3g} epochs of {images:,} images"
    return ""


def _some(points: Sequence[Point], most: int = _ROWS) -> list[Point]:
    """The first, the last, and some between."""
    last = len(points) - 1
    return [points[number] for number in sorted({round(last * part / (most - 1)) for part in range(most)})]
