"""Trains for a while, and looks for the cause if that goes wrong."""

from __future__ import annotations

import os
from math import ceil

from caffelint.smoke.diagnosis.diagnose import Diagnosis
from caffelint.smoke.engines import Engine
from caffelint.smoke.run import Run
from caffelint.smoke.scan import batches
from caffelint.smoke.session import OFF, Request, Session, Stage, Watcher, session

_BY_MOMENTUM = ("SGD", "Nesterov")
_TIMES, _MOST = 1.5, 150


def smoke(request: Request, watcher: Watcher) -> Session:
    """Train for a while. Raises as `session`."""
    return session(request, watcher, train)


def train(stage: Stage) -> tuple[Run, Engine]:
    engine = stage.pick()
    prepared = stage.prepare(engine)
    if stage.epochs:
        passes = max(1, prepared.job.passes)
        number = -(-batches(prepared, stage.epochs, "--epochs") // passes)
        prepared = stage.prepare(engine, iterations=number)
    elif (number := _until_momentum(stage)) > prepared.job.iterations:
        prepared = stage.prepare(engine, iterations=number)
    stage.start(engine, prepared)
    if stage.diagnose == OFF or not hasattr(os, "fork"):
        return stage.run(prepared, stage.execute(engine, prepared)), engine
    diagnosis = Diagnosis(stage, engine, prepared)
    events = stage.execute(engine, prepared, more=diagnosis)
    diagnosis.end()
    run = stage.run(prepared, [*events, *diagnosis.found])
    run.tried = diagnosis.result
    return run, engine


def _until_momentum(stage: Stage) -> int:
    """Iterations until momentum has added up most of what it does, where the user leaves their number open; 0 for few.

    Updates go on growing for 1 / (1 - momentum) of them: at 0.99, a run of 50 ends before they are half as large.
    """
    solver = stage.project.solver
    momentum = solver.message.momentum
    if not stage.wishes.as_needed or solver.type not in _BY_MOMENTUM or not 0 < momentum < 1:
        return 0
    return min(ceil(_TIMES / (1 - momentum)), _MOST)
