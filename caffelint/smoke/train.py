"""Trains for a while, and looks for the cause if that goes wrong."""

from __future__ import annotations

import os

from caffelint.smoke.diagnosis.diagnose import Diagnosis
from caffelint.smoke.engines import Engine
from caffelint.smoke.run import Run
from caffelint.smoke.scan import batches
from caffelint.smoke.session import OFF, Request, Session, Stage, Watcher, session


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
    stage.start(engine, prepared)
    if stage.diagnose == OFF or not hasattr(os, "fork"):
        return stage.run(prepared, stage.execute(engine, prepared)), engine
    diagnosis = Diagnosis(stage, engine, prepared)
    events = stage.execute(engine, prepared, more=diagnosis)
    diagnosis.end()
    run = stage.run(prepared, [*events, *diagnosis.found])
    run.tried = diagnosis.result
    return run, engine
