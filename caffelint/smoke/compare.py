"""Two runs from the same weights and data compared: where they first differ, and by how much.

Rounding alone makes any two runs differ, and training makes that grow. So the first run is made twice, the second time
from weights that are changed in their last digits: the difference of those two is what rounding can do to this net, at
each blob and each iteration. A much larger difference of the two runs to compare has another cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from caffelint.schema import NetParameter
from caffelint.smoke import engines
from caffelint.smoke.arrays import recorded
from caffelint.smoke.engines import Engine, NoEngine
from caffelint.smoke.events import Done, Event, Iteration, Statistics
from caffelint.smoke.job import MEASURES, RECORDS, SYNTHETIC
from caffelint.smoke.parting import Comparison, parts_of
from caffelint.smoke.prepare import Prepared
from caffelint.smoke.run import Run
from caffelint.smoke.session import Choice, Request, Session, Stage, Watcher, session

NUDGE = 1e-6
_BATCHES = 8


class Side(NamedTuple):
    """One of the two runs: its name, and how its engine is chosen."""

    name: str
    choice: Choice


def sides(text: str, choice: Choice) -> tuple[Side, Side]:
    """From `cpu,cuda:0` or `caffe,torch` or `torch:cpu,torch:cuda:0`. Raises NoEngine for anything else."""
    words = [word.strip() for word in text.split(",")]
    found = [_side(word, choice) for word in words]
    if len(found) != 2 or None in found or words[0] == words[1]:
        raise NoEngine(
            f'--compare "{text}" is not a pair to compare; give two of cpu, cuda:N, caffe, torch, or ENGINE:DEVICE'
        )
    first, second = found
    assert first
    assert second
    return first, second


def _side(word: str, choice: Choice) -> Side | None:
    engine, _, device = word.partition(":")
    if engine not in (engines.CAFFE, engines.TORCH):
        engine, device = choice.engine, word
    device = device or ("cpu" if choice.device == "auto" and choice.gpu is None else choice.device)
    if not engines.known_device(device):
        return None
    return Side(word, choice._replace(engine=engine, device=device, gpu=choice.gpu if device == "auto" else None))


def compare(request: Request, watcher: Watcher, pair: tuple[Side, Side]) -> Session:
    """Run both sides; the session's run holds one event, Compared, or those of a side that could not be run.

    Raises as `session`.
    """
    choice = pair[0].choice._replace(engine=engines.AUTO)
    wishes = replace(request.wishes, still=True, statistics_every=0, watch=())
    return session(request._replace(choice=choice, wishes=wishes), watcher, partial(_compare, pair=pair))


def _compare(stage: Stage, pair: tuple[Side, Side]) -> tuple[Run, Engine]:
    chosen = [stage.pick(side.choice) for side in pair]
    recorder = next((one for one in chosen if one.name == engines.CAFFE), chosen[0])
    prepared = _prepared_to_record(stage, recorder)
    stage.start(recorder, prepared)
    events = stage.execute(recorder, prepared)
    if not _done(events):
        return stage.run(prepared, events), chosen[0]
    tops, batches = recorded(prepared.job.folder)  # type: ignore[no-untyped-call]
    start = Path(prepared.job.folder) / "start.caffemodel"
    nudged = start.with_name("nudged.caffemodel")
    nudged.write_bytes(nudge(start.read_bytes(), prepared.job.seed))
    runs = []
    for number, (engine, weights) in enumerate(((chosen[0], start), (chosen[0], nudged), (chosen[1], start))):
        given: dict[str, Any] = {"recorded": tops, "batches": batches, "weights": str(weights)}
        prepared = stage.prepare(engine, f"run{number}", mode=MEASURES, **given)
        events = stage.execute(engine, prepared, partial(_iterations, stage.watcher))
        if not _done(events):
            return stage.run(prepared, events), chosen[0]
        runs.append(prepared)
    parts = [parts_of(run.job.folder) for run in runs]
    event = Comparison(parts, prepared.built[0]).event((pair[0].name, pair[1].name), NUDGE)
    return stage.run(prepared, [event]), chosen[0]


def _prepared_to_record(stage: Stage, engine: Engine) -> Prepared:
    """A job that writes weights to start from and data to run on, the same for both sides."""
    prepared = stage.prepare(engine, "record", mode=RECORDS)
    real = any(item.net == 0 and item.source != SYNTHETIC for item in prepared.job.inputs)
    return prepared.changed(batches=min(stage.wishes.iterations, _BATCHES)) if real else prepared


def _iterations(watcher: Watcher, event: Event) -> None:
    if isinstance(event, Iteration):
        watcher.event(event)


def _done(events: Sequence[Event]) -> bool:
    """Was everything measured? Statistics come from labels at which torch ends the run."""
    return isinstance(events[-1], Done) and not any(isinstance(one, Statistics) for one in events)


def nudge(weights: bytes, seed: int) -> bytes:
    """The weights of a .caffemodel, each changed by up to NUDGE of itself."""
    message: Any = NetParameter.FromString(weights)
    random = np.random.RandomState(seed)
    for layer in message.layer:
        for blob in layer.blobs:
            values = np.array(blob.data, np.float64)
            values *= 1 + NUDGE * random.uniform(-1, 1, values.shape)
            del blob.data[:]
            blob.data.extend(values.astype(np.float32))
    changed: bytes = message.SerializeToString()
    return changed
