"""Trains for a while, and looks for the cause if that goes wrong."""

from __future__ import annotations

import os

from caffelint.smoke.diagnosis.diagnose import Diagnosis
from caffelint.smoke.engines import Engine
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.run import Run
from caffelint.smoke.scan import batches
from caffelint.smoke.session import OFF, Request, Session, Stage, Watcher, session

_BY_MOMENTUM = ("SGD", "Nesterov")
_TIMES, _MOST = 1.5, 150
_SOON = 1e10
"""Multiply-adds of forward passes: some ten seconds with all that goes back."""


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
    else:
        number = max(_until_momentum(stage), _whole(stage, prepared))
        if (last := stage.project.solver.message.max_iter) > 0:
            number = min(number, last)  # beyond which a rate by poly is nan
        if number > prepared.job.iterations:
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
    return min(round(_TIMES / (1 - momentum)), _MOST)


def _whole(stage: Stage, prepared: Prepared) -> int:
    """Iterations that read all records once, where these are few and soon done, and the user leaves their number open:
    one record of thousands may break a training.
    """
    net = prepared.built[0]
    layer = next((one for one in net.layers if prepared.fed.held(0, one.name)), None)
    if not stage.wishes.as_needed or layer is None or any(one.param_shapes is None for one in net.layers):
        return 0
    if any(blob.shape is None for one in net.layers for blob in (*one.bottoms, *one.tops)):
        return 0
    passes = max(1, stage.project.solver.message.iter_size)
    number = -(-prepared.fed.held(0, layer.name) // (max(1, layer.batch_size) * passes))
    work = sum(one.multiply_adds() for one in net.layers) * passes * number
    return number if number <= _MOST and 0 < work < _SOON else 0
