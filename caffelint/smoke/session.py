"""The steps of every run: check, pick an engine, prepare, run, judge.

`train`, below, is one way to run a `Stage`; `search_rate`, `compare` and `check_gradients` have modules of their own.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import caffelint
from caffelint.caffe.build import build
from caffelint.caffe.built_net import BuiltNet
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.finding import CERTAIN, ERROR, INFO
from caffelint.lint.project.pretrained import pretrained
from caffelint.lint.project.scripts import customs
from caffelint.lint.report import Failure, Report, ReportedFinding
from caffelint.smoke import engines
from caffelint.smoke.child import More
from caffelint.smoke.engines import Engine
from caffelint.smoke.estimates import as_measured
from caffelint.smoke.events import LACKS, Event, Loaded, Refused
from caffelint.smoke.execute import execute
from caffelint.smoke.job import SYNTHETIC
from caffelint.smoke.kept import KeptFolder
from caffelint.smoke.looked import Looking
from caffelint.smoke.prepare import Prepared, Wishes, prepare
from caffelint.smoke.project import Project, load_project
from caffelint.smoke.run import Run
from caffelint.smoke.said_once import said_once
from caffelint.smoke.seen_shapes import checked_with_shapes
from caffelint.smoke.weighed import Weighed, weighed
from caffelint.text.signals import held

_OF_DATA = ("data", "labels")
"""Kinds of cause that the data itself shows as well."""
_LOOKS = 3.0
"""Seconds that are waited for the data to be read where the run itself took less."""
OFF, QUICK, FULL = "off", "quick", "full"
"""How much is tried to find out why a run went wrong."""
_FROM_SCRATCH = ("global-stats-in-training",)
"""What is wrong only without weights that are loaded."""
_OF_TRAINING = ("mean-unlike-data",)
"""What may be as the weights that are loaded were trained with."""


class Choice(NamedTuple):
    """The engine as the command line asks for it. source: where `caffe_python` was set, for messages."""

    engine: str = engines.AUTO
    device: str = "auto"
    gpu: int | None = None
    caffe_python: str | None = None
    source: str = "--caffe-python"
    work_dir: str | None = None
    python_layers: bool = True


class Request(NamedTuple):
    """What the command line asks for. force: run even if a check says that it cannot work. input_shapes: by top.

    diagnose: OFF, QUICK (for as long as the run itself took) or FULL. epochs: train for so many times all records, 0
    for the iterations of `wishes`.
    """

    path: str
    config: Config
    wishes: Wishes = Wishes()
    choice: Choice = Choice()
    force: bool = False
    input_shapes: Mapping[str, tuple[int, ...]] = {}
    diagnose: str = QUICK
    epochs: int = 0


class Session(NamedTuple):
    """The result. run: None if the check stopped it before it ran."""

    report: Report
    run: Run | None
    engine: Engine | None


class Watcher:
    """Called as things happen; a command overrides what it shows."""

    def started(self, engine: Engine, prepared: Prepared) -> None:
        """The job is ready and starts now."""

    def event(self, event: Event) -> None:
        """The engine emitted an event."""

    def stopped(self, report: Report) -> None:
        """The check found a certain error, so the run is not started."""


class Stage:
    """A checked project, and a folder to run it in. report: of the check. looking: reads its data meanwhile."""

    def __init__(
        self, request: Request, project: Project, report: Report, watcher: Watcher, folder: Path, looking: Looking
    ) -> None:
        self.project = project
        self._looking = looking
        self.report = report
        self.watcher = watcher
        self.folder = folder
        self.choice = request.choice
        self.diagnose = request.diagnose
        self.epochs = request.epochs
        self._config = request.config
        self._weighed: Weighed | None = None
        self.started = time.monotonic()
        self.wishes = replace(request.wishes, roots=tuple(request.config.roots))

    def pick(self, choice: Choice | None = None) -> Engine:
        """The engine for a choice, by default that of the command line. Raises NoEngine."""
        wanted = choice or self.choice
        return engines.choose(wanted.engine, wanted.device, wanted.gpu, wanted.caffe_python, wanted.source)

    def prepare(self, engine: Engine, name: str = "", **wishes: Any) -> Prepared:
        """A job for an engine, in a separate folder if a name is given. wishes: those that differ from the user's.

        Raises NoEngine if there is no place for it, Unplanned and NoProject.
        """
        folder = self.folder / name
        wanted = replace(self.wishes, device=engine.device, unread=engine.unread, folder=str(folder), **wishes)
        with _copying(self.folder):
            folder.mkdir(exist_ok=True)
            return prepare(self.project, wanted, folder)

    def start(self, engine: Engine, prepared: Prepared) -> None:
        """Announce what is going to be run. Raises NoEngine if it has Python layers and --no-python-layers is given."""
        if not self.choice.python_layers:
            for built in prepared.built:
                for layer in built.layers:
                    if layer.type == "Python":
                        raise engines.NoEngine(f'--no-python-layers: layer "{layer.name}" would run {module_of(layer)}')
        self.watcher.started(engine, prepared)

    def execute(
        self,
        engine: Engine,
        prepared: Prepared,
        on_event: Callable[[Event], None] | None = None,
        more: More | None = None,
    ) -> list[Event]:
        """The events of a job, each passed to the watcher, or to `on_event`, as it comes. Raises NoEngine.

        more: gives the same child other jobs when this one is done.
        """
        return execute(engine, prepared, on_event or self.watcher.event, more)

    def look(self, seconds: float) -> None:
        """Add to the report what is wrong with the data, once; so many seconds are waited for it at most."""
        known = set(self.report.findings)
        new = [one for one in self._looking.findings(seconds) if one not in known]
        if self.wishes.weights:
            new = [one._replace(severity=INFO) if one.name in _OF_TRAINING else one for one in new]
        self.report = self.report._replace(findings=(*self.report.findings, *new))

    def check_again(self, run: Run) -> None:
        """Add to the report the warnings that only the shapes of the data tell, as the run has seen them."""
        known = {(one.code, one.file, one.line) for one in self.report.findings}
        found = checked_with_shapes(self.project, self._config, run)
        new = (one for one in found if (one.code, one.file, one.line) not in known)
        self.report = self.report._replace(findings=(*self.report.findings, *new))

    def run(self, prepared: Prepared, events: Sequence[Event]) -> Run:
        """The result of a job, as rules see it."""
        job = prepared.job
        synthetic = any(item.source == SYNTHETIC and not item.file for item in job.inputs)
        built = _shaped(prepared.built, events)
        self._weighed = self._weighed or self._weigh(built)
        run = Run(
            self.project.solver,
            prepared.planned,
            built,
            events,
            self.report.findings,
            synthetic,
            job.iterations,
            job.watch,
            bool(job.weights),
        )
        run.fits = self._weighed.fits
        run.customs = customs(self.project.solver.path)
        run.fed = prepared.fed.stepped_by(run.customs.steps) if run.customs.steps else prepared.fed
        return run

    def _weigh(self, built: Sequence[BuiltNet]) -> Weighed:
        """Add to the report what is wrong with the weights, by the shapes that the run has seen."""
        if not self.wishes.weights:
            return Weighed()
        tops = [top for net in built for layer in net.layers if not layer.bottoms for top in layer.tops]
        shapes = {top.name: top.shape for top in reversed(tops) if top.shape is not None}
        found = weighed(self.project, self.wishes.weights, self._config, shapes)
        self.report = self.report._replace(findings=(*self.report.findings, *found.findings))
        return found


def _shaped(built: Sequence[BuiltNet], events: Sequence[Event]) -> list[BuiltNet]:
    """Nets with the shapes that the engine tells of data, where nothing else did, as of what a Python layer brings."""
    nets = list(built)
    for event in events:
        if not isinstance(event, Loaded) or event.net >= len(nets):
            continue
        net = nets[event.net]
        data = [top.name for layer in net.layers if not layer.bottoms for top in layer.tops if top.shape is None]
        if {*data} & {*event.shapes}:
            shapes = {name: (*shape,) for name, shape in event.shapes.items()}
            state = net.phase, net.stages, net.level
            nets[event.net] = build(net.message, *state, input_shapes=shapes, assume_inputs=True)
    return nets


def session(request: Request, watcher: Watcher, way: Callable[[Stage], tuple[Run, Engine]]) -> Session:
    """Check a solver and its nets, run them in some way while their data is looked at, and judge the result.

    Raises NoProject, Unplanned and NoEngine, each with a line for the user. No files or processes are left in any case.
    """
    project = load_project(request.path, request.config, request.input_shapes)
    request = _with_own_weights(request, project)
    report = _checked(request, project)
    stops = any(one.severity == ERROR and one.certainty == CERTAIN for one in report.findings)
    # What is wrong with data and weights is no reason not to run: the run shows what comes of it.
    if stops and not request.force:
        if request.wishes.weights:
            found = weighed(project, request.wishes.weights, request.config, {}).findings
            report = report._replace(findings=(*report.findings, *found))
        watcher.stopped(report)
        return Session(report, None, None)
    with work_folder(request.choice) as folder, _looking(request) as looking:
        stage = Stage(request, project, report, watcher, folder, looking)
        run, engine = way(stage)
        stage.look(max(_LOOKS, time.monotonic() - stage.started))
    run.static = stage.report.findings
    return Session(_judged(run, project, request.config, stage.report), run, engine)


def _with_own_weights(request: Request, project: Project) -> Request:
    """With the weights that the solver names, or those that a script trains it with, where the command line says
    nothing of any."""
    wishes = request.wishes
    if wishes.weights or not wishes.own_weights:
        return request
    if project.own_weights:
        return request._replace(wishes=replace(wishes, weights=project.own_weights))
    if project.solver.message.weights or (found := pretrained(request.path)) is None:
        return request
    weights = os.path.relpath(found.path)
    return request._replace(wishes=replace(wishes, weights=weights, weights_by=str(found.place)))


def _looking(request: Request) -> Looking:
    return Looking(request.path, request.config, request.wishes.data != SYNTHETIC)


def _checked(request: Request, project: Project) -> Report:
    """The findings of a check in the project's files."""
    config = copy(request.config)
    # A smoke run is where Caffe will run.
    folder = {"check-folder": True} | config.rules.get("snapshot-prefix-unusable", {})
    config.rules = config.rules | {"snapshot-prefix-unusable": folder}
    report = caffelint.check([request.path], config)
    own = {os.path.realpath(file) for file in project.files}
    gone = _FROM_SCRATCH if request.wishes.weights else ()
    found = (one for one in report.findings if os.path.realpath(one.file) in own and one.name not in gone)
    return report._replace(findings=tuple(found))


def _judged(run: Run, project: Project, config: Config, report: Report) -> Report:
    """The report with the findings of the X rules on a run."""
    findings, suppressed = Checker(config).evidence("smoke", run, project.files)
    failures = report.failures
    refused = run.first(Refused)
    if refused and refused.kind == LACKS:
        words = f"not run, because no engine here can run it: {refused.message}; give --caffe-python"
        failures = (*failures, Failure(project.solver.path, words))
    shown = {one.name for one in report.findings for other in findings if _shows(other, one)}
    static = [one for one in as_measured(run, report.findings) if one.name not in shown]
    told = said_once(static, findings)
    return report._replace(findings=told, suppressed=report.suppressed + suppressed, failures=failures)


def _shows(measured: ReportedFinding, looked: ReportedFinding) -> bool:
    """Does an error of the run say what one of the data says?"""
    kinds = [one.cause.kind if one.cause is not None else "" for one in (measured, looked)]
    return measured.severity == looked.severity == ERROR and kinds[0] == kinds[1] in _OF_DATA


@contextmanager
def _copying(folder: Path) -> Iterator[None]:
    """Tell in one line that there is no place for copies."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise engines.NoEngine(
            f'cannot make copies in "{folder.parent}": {why}; choose a folder with --work-dir'
        ) from error


@contextmanager
def work_folder(choice: Choice) -> Iterator[Path]:
    """A folder that is removed afterwards: hidden in the working directory if a container has to see it."""
    remote = choice.caffe_python or os.environ.get(engines.VARIABLE)
    where = choice.work_dir or (os.getcwd() if remote and choice.engine != engines.TORCH else None)
    folder = Path(where or tempfile.gettempdir()).resolve() / f".caffelint-smoke-{secrets.token_hex(6)}"
    kept = None
    try:
        with _copying(folder):
            with held():  # made first: others can read the name in the arguments of the process that keeps it
                folder.mkdir(0o700)
                kept = KeptFolder(str(folder))
            if remote:
                folder.chmod(0o755)  # a container's user may be another one
        yield folder
    finally:
        with held():
            shutil.rmtree(folder, ignore_errors=True)
            if kept is not None:
                kept.end()


def module_of(layer: object) -> str:
    """The module and class that a Python layer names."""
    parameters = layer.message.python_param  # type: ignore[attr-defined]
    return f"{parameters.module}.{parameters.layer}"
