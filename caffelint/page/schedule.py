"""The training that a solver asks for: the learning rate, and when it tests and takes snapshots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffelint.page.charts import Series, lines
from caffelint.page.markup import Markup, element, joined
from caffelint.page.summary import table
from caffelint.report.lr_table import milestones
from caffelint.report.words import sentence

if TYPE_CHECKING:
    from caffelint.caffe.solver import Solver
    from caffelint.page.views import View

_WITHOUT_MAX_ITER = 100_000
_POINTS = 400


def panel(solver: Solver, views: Sequence[View], records: int | None) -> Markup:
    """records: how many the training data has; None if nobody has counted them."""
    message = solver.message
    limit = max(message.max_iter, 0) or _WITHOUT_MAX_ITER
    rates = solver.schedule
    if rates.problem:
        drawn = element("p", sentence(f"Caffe stops at the first update: {rates.problem}"), class_="note error")
        rows: list[tuple[str, str]] = []
    else:
        steps = milestones(rates, limit, 24)
        xs = sorted({*milestones(rates, limit, 1000), *((limit - 1) * i // _POINTS for i in range(_POINTS + 1))})
        xs = sorted({*xs, *(step - 1 for step in xs if step)})  # a step is drawn upright
        ys = [_finite(rates.rate(x)) for x in xs]
        drawn = lines([Series("rate", xs, ys)], "Learning rate over training", "iteration", "learning rate")
        rows = [(f"{step:,}", f"{rates.rate(step):.6g}") for step in steps]
    return joined(
        drawn,
        table(("what", "value"), facts(solver, views, records), numbers=(1,), caption="What the training does"),
        table(("from iteration", "learning rate"), rows, numbers=(0, 1), caption="Where the rate changes by a tenth")
        if rows
        else None,
    )


def facts(solver: Solver, views: Sequence[View], records: int | None) -> list[tuple[str, str]]:
    """What the solver and the batches of its nets come to, in words."""
    message = solver.message
    found = [("solver", solver.type), ("policy", message.lr_policy or "none")]
    found.append(("iterations", f"{message.max_iter:,}" if message.max_iter > 0 else "max_iter is missing"))
    batch = _batch(views)
    each = batch * max(message.iter_size, 1)
    if batch:
        times = f" = {batch} x {message.iter_size} (iter_size)" if message.iter_size > 1 else ""
        found.append(("records for each update", f"{each:,}{times}"))
        if message.max_iter > 0:
            found.append(("records in all", f"{each * message.max_iter:,}"))
    if each and records:
        found.append(("records of the data", f"{records:,}"))
        found.append(("iterations of an epoch", f"{math.ceil(records / each):,}"))
        found.append(("epochs", f"{each * message.max_iter / records:.3g}"))
    if solver.tests and message.test_interval:
        passes = message.max_iter // message.test_interval + bool(message.test_initialization)
        iterations = ", ".join(map(str, message.test_iter))
        found.append(("tests", f"{passes:,}, one every {message.test_interval:,} iterations, of {iterations} batches"))
    else:
        found.append(("tests", "none"))
    if message.snapshot > 0:
        number = message.max_iter // message.snapshot
        found.append(("snapshots", f"{number:,}, one every {message.snapshot:,} iterations"))
    else:
        found.append(("snapshots", "one, at the end" if message.snapshot_after_train else "none"))
    return found


def _batch(views: Sequence[View]) -> int:
    """Of the first data layer that is trained with."""
    train = next((view for view in views if view.is_run and "TRAIN" in view.built.phases), None)
    layers = train.built.layers if train else ()
    return next((layer.batch_size for layer in layers if layer.is_data and layer.batch_size), 0)


def _finite(value: float) -> float:
    return value if abs(value) < 1e30 else math.nan
