"""One run from beginning to end: check, prepare, load, train, judge."""

from __future__ import annotations

import math
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import caffelint
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.finding import CERTAIN, ERROR
from caffelint.lint.report import Failure, Report, ReportedFinding
from caffelint.smoke import engines
from caffelint.smoke.advice import no_gpu, other_engine, unseen
from caffelint.smoke.child import run_child
from caffelint.smoke.engines import Engine
from caffelint.smoke.events import (
    BLOBS,
    GRADIENTS,
    LACKS,
    WEIGHTS,
    Crashed,
    Event,
    Iteration,
    Note,
    OutOfMemory,
    PythonLayer,
    RateFound,
    Refused,
    Running,
    Statistics,
    TimedOut,
)
from caffelint.smoke.find_lr import Trial, find_lr, trial
from caffelint.smoke.job import SYNTHETIC
from caffelint.smoke.memory import needs, solver_type
from caffelint.smoke.prepare import Prepared, Wishes, prepare
from caffelint.smoke.project import Project, load_project
from caffelint.smoke.run import Run
from caffelint.smoke.signals import held

_TRACED_SECONDS = 120.0
_SAID = 300


class Choice(NamedTuple):
    """What the command line says of the engine. source: where `caffe_python` was set, for messages."""

    engine: str = engines.AUTO
    device: str = "auto"
    gpu: int | None = None
    caffe_python: str | None = None
    source: str = "--caffe-python"
    work_dir: str | None = None
    python_layers: bool = True


class Session(NamedTuple):
    """What came of it. run: None where the check stopped it before it ran."""

    report: Report
    run: Run | None
    engine: Engine | None


class Watcher:
    """Told of what happens; a command that shows it overrides what it needs."""

    def started(self, engine: Engine, prepared: Prepared) -> None:
        """The job is ready and starts now."""

    def event(self, event: Event) -> None:
        """The engine emitted an event."""

    def stopped(self, report: Report) -> None:
        """The check found what surely ends the run: it is not started."""


def smoke(
    path: str,
    config: Config,
    wishes: Wishes,
    choice: Choice,
    watcher: Watcher,
    force: bool = False,
    input_shapes: dict[str, tuple[int, ...]] | None = None,
) -> Session:
    """Check a solver and its nets, run them for a while, and say what came of it.

    Raises NoProject, Unplanned and NoEngine, each a line for the user. Nothing is left behind on any way out.
    """
    project = load_project(path, config, input_shapes)
    report, stops = check_first(path, config, project)
    if stops and not force:
        watcher.stopped(report)
        return Session(report, None, None)
    with work_folder(choice) as folder:
        engine = pick(choice, folder)
        wishes = replace(wishes, device=engine.device, unread=engine.unread, roots=tuple(config.roots))
        prepared = prepare(project, wishes, folder)
        refuse_python_layers(prepared, choice)
        watcher.started(engine, prepared)
        finished = run_job(engine, prepared, watcher.event)
    run = finished_run(project, prepared, finished, report)
    return Session(judged(run, project, config, report), run, engine)


def check_first(path: str, config: Config, project: Project) -> tuple[Report, bool]:
    """What a check says of the project's files, and whether that surely ends a run."""
    report = caffelint.check([path], config)
    own = {os.path.realpath(file) for file in project.files}
    report = report._replace(findings=tuple(one for one in report.findings if os.path.realpath(one.file) in own))
    return report, any(one.severity == ERROR and one.certainty == CERTAIN for one in report.findings)


def search(
    path: str,
    config: Config,
    wishes: Wishes,
    choice: Choice,
    watcher: Watcher,
    tell: Callable[[Trial], None],
    force: bool = False,
    input_shapes: dict[str, tuple[int, ...]] | None = None,
) -> Session:
    """Run at several rates for the largest that stays finite. Where every rate breaks, what the first run said is kept.

    The session's run holds RateFound and what came before any update, or is None where the check stopped the search.
    Raises as `smoke`.
    """
    sessions: list[Session] = []

    def run(rate: float) -> Trial:
        if sessions and sessions[0].run is None:
            return Trial(rate, False, math.nan)
        own = replace(wishes, base_lr=rate, statistics_every=0 if sessions else wishes.iterations)
        one = smoke(path, config, own, choice, Watcher() if sessions else watcher, force, input_shapes)
        sessions.append(one)
        done = trial(rate, one.run.events if one.run else ())
        if one.run:
            tell(done)
        return done

    project = load_project(path, config, input_shapes)
    found = find_lr(project.solver.message.base_lr, run)
    report, first, engine = sessions[0]
    if first is None:
        return sessions[0]
    told = [(one.rate, one.finite, one.loss) for one in found.trials]
    before = [event for event in first.events if isinstance(event, Iteration | Statistics) and event.iteration < 0]
    events = [RateFound(found.largest, found.suggested, len(told), told), *before]
    summary = Run(project.solver, first.planned, first.built, events, report.findings, first.synthetic, first.asked)
    if found.largest:
        kept = (finding for finding in report.findings if not finding.code.startswith("X"))
        report = report._replace(findings=(*kept, *judge(summary, project, config)[0]))
    return Session(report, summary, engine)


def finished_run(project: Project, prepared: Prepared, finished: list[Event], report: Report) -> Run:
    synthetic = any(item.source == SYNTHETIC for item in prepared.job.inputs)
    return Run(
        project.solver,
        prepared.planned,
        prepared.built,
        finished,
        report.findings,
        synthetic,
        prepared.job.iterations,
        prepared.job.watch,
    )


def pick(choice: Choice, folder: Path) -> Engine:
    return engines.choose(choice.engine, choice.device, choice.gpu, choice.caffe_python, choice.source, str(folder))


@contextmanager
def work_folder(choice: Choice) -> Iterator[Path]:
    """A folder that is gone afterwards: hidden in the working directory where a container has to see it."""
    remote = choice.caffe_python or os.environ.get(engines.VARIABLE)
    where = choice.work_dir or (os.getcwd() if remote and choice.engine != engines.TORCH else None)
    folder = Path(where or tempfile.gettempdir()).resolve() / f".caffelint-smoke-{secrets.token_hex(6)}"
    try:
        try:
            folder.mkdir()
            folder.chmod(0o755)  # a container's user may be another one
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise engines.NoEngine(f"{folder.parent} takes no copies ({why}): name a folder by --work-dir") from error
        yield folder
    finally:
        with held():
            shutil.rmtree(folder, ignore_errors=True)


def refuse_python_layers(prepared: Prepared, choice: Choice) -> None:
    if choice.python_layers:
        return
    for built in prepared.built:
        for layer in built.layers:
            if layer.type == "Python":
                raise engines.NoEngine(f'--no-python-layers: layer "{layer.name}" runs {module_of(layer)}')


def module_of(layer: object) -> str:
    """The module and class that a Python layer names."""
    parameters = layer.message.python_param  # type: ignore[attr-defined]
    return f"{parameters.module}.{parameters.layer}"


def needs_too_much(prepared: Prepared, engine: str) -> OutOfMemory | None:
    """Why not to start at all: on a CPU the system ends any process where one takes all there is."""
    if prepared.job.device != "cpu" or "SC_PHYS_PAGES" not in os.sysconf_names:
        return None
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    found = needs(prepared.built, solver_type(prepared.job.solver), engine == engines.CAFFE)
    if found.total <= there:
        return None
    parts = {
        BLOBS: ("the blobs", found.blobs),
        GRADIENTS: ("their gradients", found.gradients),
        WEIGHTS: ("the weights with gradients and history", found.weights),
    }
    named = ", ".join(f"{name} take {size >> 30} GiB" for name, size in parts.values() if size >> 30)
    most = max(parts, key=lambda part: parts[part][1])
    return OutOfMemory(f"{named}; the machine has {there >> 30} GiB", "cpu", most)


def run_job(engine: Engine, prepared: Prepared, on_event: Callable[[Event], None]) -> list[Event]:
    """Run it; where it died or hung without telling at which layer, run it again with each layer announced."""
    job = prepared.job
    if too_much := needs_too_much(prepared, engine.name):
        return [too_much]
    try:
        finished = run_child(engine.command, job, prepared.path, on_event)
        finished[:] = [_as_named(event, prepared.named) for event in finished]
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise engines.NoEngine(f"{engine.command[0]} cannot be started: {reason} ({engine.why})") from error
    last = finished[-1] if finished else None
    if problem := unseen(engine, last, str(Path(prepared.path).parent)) or no_gpu(engine, last):
        raise engines.NoEngine(problem)
    if engine.name == engines.CAFFE and len(finished) == 1 and isinstance(last, Crashed | PythonLayer):
        # The first that the runner tells is Caffe's version.
        said = (last.said if isinstance(last, Crashed) else last.message)[:_SAID] or "it ended without a word"
        raise engines.NoEngine(f"{engine.command[0]} cannot import caffe: {said} ({engine.why})")
    if advice := other_engine(engine, last, prepared.built):
        on_event(Note(advice))
    nameless = isinstance(last, Crashed | TimedOut) or (isinstance(last, Refused) and not last.layer)
    started = any(isinstance(event, Iteration | Running) for event in finished)
    slow = isinstance(last, TimedOut) and sum(isinstance(event, Iteration) for event in finished) > 1
    if not nameless or slow or (isinstance(last, Refused) and last.during != "run" and not started):
        return finished
    seconds = min(job.timeout or _TRACED_SECONDS, _TRACED_SECONDS)
    traced = replace(job, trace=True, timeout=seconds)
    path = Path(prepared.path).with_name("traced.json")
    path.write_text(traced.to_json(), "utf-8")
    on_event(Note("running once more, layer by layer, to see where it ends"))
    again = run_child(engine.command, traced, str(path))
    known = {event[:5] for event in finished if isinstance(event, Statistics)}
    came = [event for event in again if isinstance(event, Statistics) and event.iteration < 0]
    # What writes beside its memory ends the process now here, now there: what came in may tell why.
    finished[-1:-1] = [event for event in came if event[:5] not in known]
    where = [event for event in again if isinstance(event, Running)]
    if where and type(again[-1]) is type(last):
        finished.insert(len(finished) - 1, where[-1])
    return finished


def _as_named(event: Event, named: Mapping[str, str]) -> Event:
    """With the user's own names for what stands in the copies."""
    if isinstance(event, Refused):
        for path, name in named.items():
            event = event._replace(message=event.message.replace(path, name))
    return event


def judge(run: Run, project: Project, config: Config) -> tuple[tuple[ReportedFinding, ...], int]:
    """What the rules of family X say of a run, and how many comments and settings silenced."""
    return Checker(config).smoke(run, project.files)


def judged(run: Run, project: Project, config: Config, report: Report) -> Report:
    """A report with what there is to say of a run."""
    findings, suppressed = judge(run, project, config)
    failures = report.failures
    refused = run.first(Refused)
    if refused and refused.kind == LACKS:
        words = "not run: there is nothing here to run it with; give --caffe-python"
        failures = (*failures, Failure(project.solver.path, words))
    return report._replace(
        findings=(*report.findings, *findings), suppressed=report.suppressed + suppressed, failures=failures
    )
