"""Goes through all records forward only: which batches have a loss that is not finite, or far above the others'."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import median

from caffelint.smoke.diagnosis.batches import bad_of_all
from caffelint.smoke.engines import Engine
from caffelint.smoke.events import Event, Iteration, NonFinite
from caffelint.smoke.inputs import Unplanned
from caffelint.smoke.job import REAL, SCANS
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.records import read_records
from caffelint.smoke.run import Run
from caffelint.smoke.scanned import Odd, Scanned
from caffelint.smoke.session import Request, Session, Stage, Watcher, session

_TIMES = 5.0
"""Of the median loss: what is above that is odd."""
_SECONDS = 60.0


def scan(request: Request, watcher: Watcher) -> Session:
    """Look at each batch of the TRAIN net once; raises as `session`."""
    return session(request, watcher, _scan)


def _scan(stage: Stage) -> tuple[Run, Engine]:
    engine = stage.pick()
    prepared = stage.prepare(engine, still=True, mode=SCANS, statistics_every=0)
    wanted = batches(prepared, stage.epochs or 1, "--scan")
    prepared = prepared.changed(iterations=wanted)
    stage.start(engine, prepared)
    events = stage.execute(engine, prepared)
    losses = {event.iteration: event.loss for event in events if isinstance(event, Iteration)}
    good = [loss for loss in losses.values() if math.isfinite(loss)]
    usual = median(good) if good else 0.0
    broke = {event.iteration: event for event in events if isinstance(event, NonFinite)}
    odd = []
    for number, loss in losses.items():
        event = broke.get(number)
        if event is not None:
            odd.append(Odd(number, loss, event.layer, event.nan > 0))
        elif abs(loss) > _TIMES * abs(usual) > 0:
            odd.append(Odd(number, loss, "", False))
    found = Scanned(len(losses), min(good, default=math.nan), usual, max(good, default=math.nan), odd)
    rest = [event for event in events if not isinstance(event, NonFinite | Iteration)]
    told: list[Event] = (
        [found, *bad_of_all(prepared, min(stage.wishes.timeout or _SECONDS, _SECONDS))] if losses else []
    )
    return stage.run(prepared, [*rest, *told]), engine


def batches(prepared: Prepared, epochs: int, option: str) -> int:
    """How many batches of the TRAIN net so many times all records are. Raises Unplanned where that is not known."""
    real = {item.layer for item in prepared.job.inputs if item.net == 0 and item.source == REAL}
    found = []
    for layer in prepared.built[0].layers:
        if layer.name in real and layer.batch_size:
            count = prepared.fed.held(0, layer.name)
            if not count:
                reading = read_records(layer, Path(prepared.path).parent, 0, 0, _SECONDS)
                count = reading.total if reading is not None else 0
            found.append(math.ceil(epochs * count / layer.batch_size))
    if not any(found):
        raise Unplanned(
            f"{option}: it is not known how many records there are; it needs real data that can be read here"
        )
    return max(found)
