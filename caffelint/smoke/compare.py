"""Two runs from the same weights and data, held against each other: where they part first, and by how much.

Rounding alone makes any two runs differ, and training makes that grow. So the first run is made twice, the second time
from weights that are changed in their last digits: how far those two part is what rounding can do to this net, at each
blob and each iteration. What parts the two that are compared by much more has another cause.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from caffelint.caffe.build import BuiltNet
from caffelint.caffe.layers import Layer
from caffelint.caffe.net_parts import Blob
from caffelint.lint.config import Config
from caffelint.schema import NetParameter
from caffelint.smoke import engines
from caffelint.smoke.arrays import read, recorded
from caffelint.smoke.child import Finished
from caffelint.smoke.engines import Engine, NoEngine
from caffelint.smoke.events import Compared, Done, Event, Iteration
from caffelint.smoke.job import MEASURES, RECORDS, SYNTHETIC
from caffelint.smoke.prepare import Prepared, Wishes, prepare
from caffelint.smoke.project import Project, load_project
from caffelint.smoke.run import Run
from caffelint.smoke.session import (
    Choice,
    Session,
    Watcher,
    check_first,
    judge,
    needs_too_much,
    pick,
    refuse_python_layers,
    run_job,
    work_folder,
)

NUDGE = 1e-6
_FORWARD, _BACKWARD = 1e-4, 1e-3
"""What the same computation may differ by in any case: float32, sums in another order."""
_HALF = 100.0
"""So many times that where a net computes in half precision."""
_ROUNDING = 20.0
_CHAOS = 1e-2
_BATCHES = 8


class Side(NamedTuple):
    """One of the two runs: its name, and how its engine is chosen."""

    name: str
    choice: Choice


class Parts(NamedTuple):
    """What one run computed: samples by (stage, iteration, layer, number of the top or parameter), in order."""

    names: dict[tuple[str, int, str, int], str]
    values: Callable[[tuple[str, int, str, int]], Any]


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
    if device not in ("auto", "cpu") and not (device.startswith("cuda:") and device[5:].isdigit()):
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
                event = Comparison([_parts(run.job.folder) for run in runs], prepared.built[0]).event(pair)
                finished = finished._replace(events=[event])
        run = Run(
            project.solver,
            prepared.planned,
            prepared.built,
            finished.events,
            report.findings,
            any(item.source == SYNTHETIC and not item.file for item in prepared.job.inputs),
            wishes.iterations,
        )
    findings, suppressed = judge(run, project, config)
    report.findings += findings
    report.suppressed += suppressed
    return Session(report, run, chosen[0])


def _engine(side: Side, folder: Path) -> Engine:
    return pick(side.choice, folder)


def _done(finished: Finished) -> bool:
    return isinstance(finished.events[-1], Done)


def _in(engine: Engine, folder: Path) -> Engine:
    """The engine with its runner in another folder."""
    if engine.name != engines.CAFFE:
        return engine
    return engine._replace(command=(*engine.command[:-1], str(folder / "runner.py")))


def _record(
    project: Project, wishes: Wishes, engine: Engine, choice: Choice, folder: Path, watcher: Watcher
) -> tuple[Prepared, Finished]:
    """Weights to start from and data to run on, the same for both."""
    own = folder / "record"
    own.mkdir()
    wanted = replace(wishes, device=engine.device, mode=RECORDS, folder=str(own))
    prepared = prepare(project, wanted, own)
    real = any(item.net == 0 and item.source != SYNTHETIC for item in prepared.job.inputs)
    if real:
        prepared = prepare(project, replace(wanted, batches=min(wishes.iterations, _BATCHES)), own)
    refuse_python_layers(prepared, choice)
    watcher.started(engine, prepared)
    return prepared, _run(_in(engine, own), prepared, watcher.event)


def _run(engine: Engine, prepared: Prepared, on_event: Callable[[Event], None]) -> Finished:
    needs = needs_too_much(prepared)
    if needs:
        from caffelint.smoke.child import Log

        return Finished([needs], Log())
    return run_job(engine, prepared, on_event)


def _with_recorded(wishes: Wishes, prepared: Prepared) -> Wishes:
    tops, batches = recorded(prepared.job.folder)  # type: ignore[no-untyped-call]
    return replace(wishes, recorded=tops, batches=batches, weights=str(Path(prepared.job.folder) / "start.caffemodel"))


def _measure(
    project: Project, wishes: Wishes, engine: Engine, own: Path, watcher: Watcher, nudged: bool
) -> tuple[Prepared, Finished]:
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

    return prepared, _run(_in(engine, own), prepared, tell)


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


def _parts(folder: str) -> Parts:
    rows, path = read(folder)  # type: ignore[no-untyped-call]
    places = {}
    names = {}
    for number, row in enumerate(rows):
        stage = "update" if row["part"] == "param" else row["part"]
        key = stage, row["iteration"], row["layer"], row["number"]
        names[key], places[key] = row["name"], number

    def values(key: tuple[str, int, str, int]) -> Any:
        return np.load(path(places[key])).astype(np.float64)

    return Parts(names, values)


class Comparison:
    """runs: the first, the first again from other last digits, the second. built: the TRAIN net."""

    def __init__(self, runs: Sequence[Parts], built: BuiltNet) -> None:
        self.first, self.nudged, self.second = runs
        self.built = built
        self.layers = {layer.name: layer for layer in built.layers}
        half = built.message.default_forward_type == 2 or built.message.default_forward_math == 2
        self.scale = _HALF if half else 1.0

    def event(self, pair: tuple[Side, Side]) -> Compared:
        rows: list[tuple[str, int, int, float, str, float]] = []
        parted: tuple[tuple[str, int, str, int], float, float, float] | None = None
        before, chaos = 0.0, -1
        for stage, iteration, keys in self._stages():
            measured = [(key, *self._distances(key)) for key in keys]
            if not measured:
                continue
            # In training all hangs together: what moves one parameter far moves all.
            shared = max(noise for _, _, noise in measured) if stage == "update" else 0.0
            least = self.scale * (_FORWARD if stage == "forward" else _BACKWARD)
            worst = max(measured, key=lambda one: one[1])
            rows.append((stage, iteration, len(measured), worst[1], self._where(worst[0]), max(shared, worst[2])))
            for key, distance, noise in measured:
                if parted is None and chaos < 0 and distance > max(least, _ROUNDING * max(noise, shared)):
                    parted = key, distance, max(noise, shared), before
                if parted is None:
                    before = max(before, distance)
            if chaos < 0 and shared > _CHAOS:
                chaos = iteration
        names = pair[0].name, pair[1].name
        if parted is None:
            return Compared(*names, "", -1, "", "", before, 0.0, before, (0.0, 0.0), chaos, NUDGE, rows)
        key, distance, noise, before = parted
        stage, iteration, layer, number = key
        if stage == "backward":
            layer = self._writer(layer, number)
        shown = self._shown(key)
        name = self.first.names[key]
        return Compared(*names, stage, iteration, layer, name, distance, noise, before, shown, chaos, NUDGE, rows)

    def _stages(self) -> Iterator[tuple[str, int, list[tuple[str, int, str, int]]]]:
        """What both runs computed, stage by stage, in the order of computing."""
        common = [key for key in self.first.names if key in self.second.names and key in self.nudged.names]
        common = [key for key in common if key[0] != "backward" or self._gets_gradient(key[2], key[3])]
        order = {layer.name: number for number, layer in enumerate(self.built.layers)}
        yield "forward", -1, [key for key in common if key[0] == "forward"]
        for stage in ("backward", "gradient"):
            keys = [key for key in common if key[0] == stage]
            yield stage, -1, sorted(keys, key=lambda key: -order.get(key[2], 0))
        last = max((key[1] for key in common), default=-1)
        for iteration in range(last + 1):
            yield "update", iteration, [key for key in common if key[0] == "update" and key[1] == iteration]

    def _gets_gradient(self, layer: str, top: int) -> bool:
        found = self.layers.get(layer)
        return found is not None and top < len(found.tops) and gets_gradient(found, top)

    def _distances(self, key: tuple[str, int, str, int]) -> tuple[float, float]:
        """Of the second run from the first, and of the first from itself."""
        first, second, nudged = (self._values(run, key) for run in (self.first, self.second, self.nudged))
        size = 0.0
        if key[0] == "update":
            # Float32 holds no change below the last digit of the value that changes.
            size = 1e-4 * float(np.max(np.abs(self.first.values(("update", -1, *key[2:]))), initial=0.0))
        return distance(first, second, size), distance(first, nudged, size)

    def _values(self, run: Parts, key: tuple[str, int, str, int]) -> Any:
        """Of a parameter how far it has moved since the start, which tells more than where it stands."""
        return run.values(key) - run.values(("update", -1, *key[2:])) if key[0] == "update" else run.values(key)

    def _shown(self, key: tuple[str, int, str, int]) -> tuple[float, float]:
        first, second = (self._values(run, key) for run in (self.first, self.second))
        if first.shape != second.shape:
            return float(first.size), float(second.size)
        worst = int(np.argmax(np.nan_to_num(np.abs(first - second), nan=np.inf)))
        return float(first[worst]), float(second[worst])

    def _where(self, key: tuple[str, int, str, int]) -> str:
        name = self.first.names[key]
        return f"{key[2]}.{name}" if key[0] in ("gradient", "update") else name

    def _writer(self, layer: str, top: int) -> str:
        """The layer that made the diff of a top: the first that reads it and runs backward."""
        readers = [reader.name for reader, _ in _readers(self.layers[layer].tops[top])]
        return readers[0] if readers else layer


def distance(first: Any, second: Any, size: float = 0.0) -> float:
    """Largest difference by the largest value, at least `size`; inf where one alone is not finite, or shapes differ."""
    if first.shape != second.shape:
        return math.inf
    same = np.isfinite(first) & np.isfinite(second)
    if not np.array_equal(np.isfinite(first), np.isfinite(second)):
        return math.inf
    first, second = first[same], second[same]
    if not first.size:
        return 0.0
    largest = max(float(np.abs(first).max()), float(np.abs(second).max()), size)
    return float(np.abs(first - second).max()) / largest if largest else 0.0


def gets_gradient(layer: Layer, top: int) -> bool:
    """Does a gradient reach a top, from what reads it or because it is a loss?"""
    if top < len(layer.loss_weights) and layer.loss_weights[top]:
        return True
    return bool(_readers(layer.tops[top]))


def _readers(blob: Blob) -> list[tuple[Layer, int]]:
    """Those that send a gradient to a blob, behind splits."""
    found: list[tuple[Layer, int]] = []
    for layer, bottom in blob.consumers:
        if layer.message is None:
            found += [one for top in layer.tops for one in _readers(top)]
        elif layer.need_backward and layer.propagate_down[bottom]:
            found.append((layer, bottom))
    return found
