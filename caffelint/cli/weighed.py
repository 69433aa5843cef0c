"""What `caffelint weights` reads and prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from caffelint.caffe.net import Net
from caffelint.caffe.solver import Solver
from caffelint.caffe.weights.file import read_solver_state, read_weights
from caffelint.caffe.weights.stored import State, Unreadable, Weights
from caffelint.cli.errors import need_numpy
from caffelint.cli.plots import plotting, ready_to_plot
from caffelint.cli.tell import say, tell
from caffelint.evidence.weights.evidence import WeightsEvidence
from caffelint.evidence.weights.told import as_json, lines_of
from caffelint.lint.checker import Checker
from caffelint.lint.discover import looks_like_prototxt
from caffelint.lint.file import File, load
from caffelint.lint.joined import given_shapes
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.reach import SUFFIXES, Reach
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import Failure, Report, in_order
from caffelint.smoke.project import NoProject, load_project
from caffelint.text.records import NamedTuple
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.cli.outputs import Output
    from caffelint.lint.config import Config


class Wanted(NamedTuple):
    """What the command line asks for."""

    files: Sequence[str]
    quiet: bool
    on_stdout: bool
    as_json: bool
    stats: bool = False
    snapshot: str | None = None
    diff: bool = False
    plot: Path | None = None
    shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({})


class Outcome(NamedTuple):
    report: Report
    evidence: WeightsEvidence


class Given(NamedTuple):
    """files: those that were read as text, by path. nets: all that are to take the weights."""

    files: dict[str, File]
    nets: list[Net]
    solver: Solver | None = None


def reports(asked: Wanted, config: Config) -> Outcome:
    """Read all files and judge them."""
    if asked.plot:
        ready_to_plot(asked.plot)
    first, *rest = asked.files
    is_text = first.endswith(SUFFIXES) or looks_like_prototxt(first)
    given = _given(first, config, asked.shapes) if is_text else Given({}, [])
    models = rest if is_text else [first, *rest]
    failures: list[Failure] = []
    state = _state(asked.snapshot, given, failures) if asked.snapshot else None
    if state is not None and os.path.isfile(state.learned_net):
        models = [*models, state.learned_net]
    models = models or own_weights(given.solver)
    if not models and not asked.snapshot:
        raise click.UsageError("give the file of weights after the net or solver")
    if asked.diff and len(models) != 2:
        raise click.UsageError("--diff needs two files of weights, before and after")
    for name in ("stats", "diff", "plot"):
        if getattr(asked, name):
            need_numpy(name)
    if find_spec("numpy") is None:
        tell("the values of the weights are not looked at: that needs numpy, pip install 'caffelint[data]'")
    evidence = WeightsEvidence(_read(models, failures), given.nets, given.solver, state)
    found, suppressed = Checker(config).evidence("weights", evidence, given.files)
    failures += [Failure(path, reason) for path, reason in dict.fromkeys(evidence.unread)]
    extra = {"weights": as_json(evidence)} if asked.as_json else {}
    read = len(given.files) + len(evidence.models) + (state is not None)
    report = Report(in_order(found), read, tuple(failures), suppressed, evidence=extra)
    return Outcome(report, evidence)


def with_weights(report: Report, paths: Sequence[str], models: Sequence[str], config: Config) -> Report:
    """The report of a check with what there is to say of weights for each net or solver that was given.

    Without `models` these are the files that a solver itself names, as far as they are there and may be read.
    """
    if models:
        need_numpy("weights")
    failures: list[Failure] = list(report.failures)
    findings = list(report.findings)
    suppressed = report.suppressed
    read = _read(models, failures)
    for path in paths:
        if not os.path.isfile(path):
            raise click.UsageError(f"--weights is for nets and solvers, but {path} is not a file")
        given = _given(path, config)
        weights = read if models else _read(_found(given.solver, path, config.roots), failures)
        evidence = WeightsEvidence(weights, given.nets, given.solver)
        found, silenced = Checker(config).evidence("weights", evidence, given.files)
        findings += found
        suppressed += silenced
        failures += [Failure(file, reason) for file, reason in dict.fromkeys(evidence.unread)]
    return report._replace(findings=in_order(dict.fromkeys(findings)), failures=tuple(failures), suppressed=suppressed)


def _found(solver: Solver | None, path: str, roots: Sequence[str]) -> list[str]:
    reach = Reach(os.path.dirname(path), roots)
    return [name for name in own_weights(solver) if os.path.isfile(name) and reach.holds(name)]


def own_weights(solver: Solver | None) -> list[str]:
    """The files that the solver's own `weights` names, each of which may be several (solver.cpp LoadNetWeights)."""
    given = solver.message.weights if solver is not None else ()
    return [name.strip() for value in given for name in value.split(",") if name.strip()]


def _read(models: Sequence[str], failures: list[Failure]) -> list[Weights]:
    read = []
    for path in models:
        try:
            read.append(read_weights(path))
        except Unreadable as error:
            failures.append(Failure(path, str(error)))
    return read


def reported(outcome: Outcome, asked: Wanted, wanted: Sequence[Output], config: Config, verbose: bool) -> int:
    """Print and write all that is wanted, and give the exit status."""
    from caffelint.cli.outputs import write_all
    from caffelint.report import Look

    if not asked.quiet:
        for line in lines_of(outcome.evidence):
            say(visible(line), err=not asked.on_stdout)
    try:
        _show(outcome.evidence.models, asked)
    except Unreadable as error:
        raise click.ClickException(str(error)) from error
    least = "info" if verbose or config.fail_on == "info" else "warning"
    write_all(outcome.report, wanted, Look(least=least, quiet=asked.quiet, fail_on=config.fail_on, fixes=False))
    for failure in outcome.report.failures:
        tell(f"{failure.file}: {failure.message}")
    return outcome.report.exit_status(config.fail_on)


def _show(models: Sequence[Weights], asked: Wanted) -> None:
    """The tables and the plot. Raises `Unreadable`."""
    lines: list[str] = []
    if asked.diff and len(models) == 2:
        from caffelint.evidence.weights.difference import lines_of as differing

        lines += differing(*models)
    if asked.stats:
        lines += (line for weights in models for line in _table(weights, asked.on_stdout))
    for line in lines:
        click.echo(visible(line), err=not asked.on_stdout)
    if asked.plot and models:
        from caffelint.evidence.weights.plot import draw

        with plotting(asked.plot):
            draw(models, asked.plot)


def _table(weights: Weights, on_stdout: bool) -> list[str]:
    from caffelint.cli.outputs import TABLE, width
    from caffelint.evidence.weights.table import HEAD, rows
    from caffelint.report.fit import Column, table

    goes = {"type": 5, "zeros": 1, "std": 2, "mean": 3, "blob": 4}
    texts = ("layer", "type", "shape", "notes")
    columns = [Column(name, name not in texts, goes.get(name, 0)) for name in HEAD]
    shown = [[visible(cell) for cell in row] for row in rows(weights)]
    return table(columns, shown, width(sys.stdout if on_stdout else sys.stderr, TABLE))


def _state(path: str, given: Given, failures: list[Failure]) -> State | None:
    if given.solver is None:
        raise click.UsageError("--snapshot needs the solver that is to go on from it: caffelint weights SOLVER")
    try:
        return read_solver_state(path)
    except Unreadable as error:
        failures.append(Failure(path, str(error)))
        return None


def _given(path: str, config: Config, shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({})) -> Given:
    """The net, or the nets of the solver. Raises `click.ClickException`."""
    try:
        taken = Caffes(config).of(path)
        file = load(read(path), path, None, taken.dialect, caffe=taken.caffe)
    except ReadError as error:
        raise click.ClickException(f"{path}: {error}") from error
    shapes = given_shapes(config) | dict(shapes)
    if file.net is not None:
        _give_shapes([file.net], shapes)
        return Given({path: file}, [file.net])
    if file.solver is None:
        raise click.ClickException(f"{path}: neither a net nor a solver")
    try:
        project = load_project(path, config)
    except NoProject as error:
        raise click.ClickException(str(error)) from error
    _give_shapes(project.solver.distinct_nets, shapes)
    return Given(project.files, project.solver.distinct_nets, project.solver)


def _give_shapes(nets: Sequence[Net], shapes: Mapping[str, tuple[int, ...]]) -> None:
    for net in nets:
        tops = {top for layer in net.layers for top in layer.tops}
        net.input_shapes = dict(net.input_shapes) | {top: shape for top, shape in shapes.items() if top in tops}
