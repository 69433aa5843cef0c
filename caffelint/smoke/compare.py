"""Two runs from the same weights and data, held against each other: where they part first, and by how much.

Rounding alone makes any two runs differ, and training makes that grow. So the first run is made twice, the second time
from weights that are changed in their last digits: how far those two part is what rounding can do to this net, at each
blob and each iteration. What parts the two that are compared by much more has another cause.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from caffelint.lint.config import Config
from caffelint.schema import NetParameter
from caffelint.smoke import engines
from caffelint.smoke.arrays import recorded
from caffelint.smoke.engines import Engine, NoEngine
from caffelint.smoke.events import Done, Event, Iteration, Statistics
from caffelint.smoke.job import MEASURES, RECORDS, SYNTHETIC
from caffelint.smoke.parting import Comparison, parts_of
from caffelint.smoke.prepare import Prepared, Wishes, prepare
from caffelint.smoke.project import Project, load_project
from caffelint.smoke.run import Run
from caffelint.smoke.session import (
    Choice,
    Session,
    Watcher,
    check_first,
    judged,
    pick,
    refuse_python_layers,
    run_job,
    work_folder,
)

NUDGE = 1e-6
_BATCHES = 8


class Side(NamedTuple):
    """One of the two runs: its name, and how its engine is chosen."""

    name: str
    choice: Choice


def sides(text: str, choice: Choice) -> tuple[Side, Side]:
    """From `cpu,cuda:0` or `caffe,torch` or `torch:cpu,torch:cuda:0`. Raises NoEngine where it is none of these."""
    words = [word.strip() for word in text.split(",")]
    found = [_side(word, choice) for word in words]
    if len(found) != 2 or None in found or words[0] == words[1]:
        raise NoEngine(f"--compare {text}: it takes two of cpu, cuda:N, caffe, torch, or ENGINE:DEVICE")
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


def compare(
    path: str,
    config: Config,
    wishes: Wishes,
    pair: tuple[Side, Side],
    watcher: Watcher,
    force: bool = False,
    input_shapes: dict[str, tuple[int, ...]] | None = None,
) -> Session:
    """Run both sides; the session's run holds one event, Compared, or those of a side that could not be run.

    Raises as `smoke`.
    """
    project = load_project(path, config, input_shapes)
    report, stops = check_first(path, config, project)
    if stops and not force:
        watcher.stopped(report)
        return Session(report, None, None)
    wishes = replace(wishes, still=True, statistics_every=0, watch=(), roots=tuple(config.roots))
    choice = pair[0].choice._replace(engine=engines.AUTO)
    with work_folder(choice) as folder:
        chosen = [_engine(side, folder / side.name.replace(":", "-")) for side in pair]
        recorder = next((one for one in chosen if one.name == engines.CAFFE), chosen[0])
        prepared, finished = _record(project, wishes, recorder, choice, folder, watcher)
        if _done(finished):
            wishes = _with_recorded(wishes, prepared)
            runs = []
            for number, engine in enumerate((chosen[0], chosen[0], chosen[1])):
                prepared, finished = _measure(project, wishes, engine, folder / f"run{number}", watcher, number == 1)
                runs.append(prepared)
                if not _done(finished):
                    break
            else:
                event = Comparison([parts_of(run.job.folder) for run in runs], prepared.built[0]).event(
                    (pair[0].name, pair[1].name), NUDGE
                )
                finished = [event]
        run = Run(
            project.solver,
            prepared.planned,
            prepared.built,
            finished,
            report.findings,
            any(item.source == SYNTHETIC and not item.file for item in prepared.job.inputs),
            wishes.iterations,
        )
    return Session(judged(run, project, config, report), run, chosen[0])


def _engine(side: Side, folder: Path) -> Engine:
    return pick(side.choice, folder)


def _done(finished: list[Event]) -> bool:
    """Was all measured? Statistics come of labels at which torch ends."""
    return isinstance(finished[-1], Done) and not any(isinstance(one, Statistics) for one in finished)


def _in(engine: Engine, folder: Path) -> Engine:
    """The engine with its runner in another folder."""
    if engine.name != engines.CAFFE:
        return engine
    return engine._replace(command=(*engine.command[:-1], str(folder / "runner.py")))


def _record(
    project: Project, wishes: Wishes, engine: Engine, choice: Choice, folder: Path, watcher: Watcher
) -> tuple[Prepared, list[Event]]:
    """Weights to start from and data to run on, the same for both."""
    own = folder / "record"
    own.mkdir()
    wanted = replace(wishes, device=engine.device, unread=engine.unread, mode=RECORDS, folder=str(own))
    prepared = prepare(project, wanted, own)
    real = any(item.net == 0 and item.source != SYNTHETIC for item in prepared.job.inputs)
    if real:
        prepared = prepare(project, replace(wanted, batches=min(wishes.iterations, _BATCHES)), own)
    refuse_python_layers(prepared, choice)
    watcher.started(engine, prepared)
    return prepared, run_job(_in(engine, own), prepared, watcher.event)


def _with_recorded(wishes: Wishes, prepared: Prepared) -> Wishes:
    tops, batches = recorded(prepared.job.folder)  # type: ignore[no-untyped-call]
    return replace(wishes, recorded=tops, batches=batches, weights=str(Path(prepared.job.folder) / "start.caffemodel"))


def _measure(
    project: Project, wishes: Wishes, engine: Engine, own: Path, watcher: Watcher, nudged: bool
) -> tuple[Prepared, list[Event]]:
    own.mkdir()
    weights = wishes.weights
    if nudged:
        weights = str(own / "nudged.caffemodel")
        Path(weights).write_bytes(nudge(Path(wishes.weights).read_bytes(), wishes.seed))
    wanted = replace(wishes, device=engine.device, mode=MEASURES, folder=str(own), weights=weights)
    prepared = prepare(project, wanted, own)

    def tell(event: Event) -> None:
        if isinstance(event, Iteration):
            watcher.event(event)

    return prepared, run_job(_in(engine, own), prepared, tell)


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
