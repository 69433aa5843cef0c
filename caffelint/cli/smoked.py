"""The output of `caffelint smoke` while it runs, and its options as values."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from caffelint.cli.tell import say, tell
from caffelint.report.words import sentence
from caffelint.smoke.engines import known_device
from caffelint.smoke.events import Event, Iteration, Note, RateFound, Tested
from caffelint.smoke.job import REAL
from caffelint.smoke.prepare import Prepared, Wishes
from caffelint.smoke.session import Choice, Request, Session, Watcher, module_of

if TYPE_CHECKING:
    from caffelint.lint.config import Config
    from caffelint.lint.report import Report
    from caffelint.smoke.diagnosis.tried import Tried
    from caffelint.smoke.engines import Engine

_ROWS = 8
_SILENCE = 30.0
"""Seconds without a line if there is no terminal to show progress on."""
_MOST_LETTERS = 200
"""In a line of the verdict, if its clauses are no longer."""
_POINTS = 50
"""In each line of a plot."""


_NOT_SWEPT = ("watch", "fix", "diff", "find_lr", "compare", "scan", "gradcheck", "epochs", "formats")


def not_swept(options: dict[str, Any], solver: str) -> str:
    """Why the options do not go with --sweep, or with its lack; "" if they do."""
    if not options["sweep"]:
        alone = next((name for name in ("resume", "cluster", "jobs") if options[name]), "")
        return f"--{alone} needs --sweep" if alone else "" if solver else "Missing argument 'SOLVER'."
    other = next((name for name in _NOT_SWEPT if options[name]), "")
    if other:
        return f"--sweep cannot be combined with --{'format' if other == 'formats' else other.replace('_', '-')}"
    return "--cluster and --jobs cannot be combined; give one" if options["cluster"] and options["jobs"] else ""


def engine_line(engine: Engine) -> str:
    return f"engine {engine.name} on {engine.device}: {engine.why}"


def code_line(modules: Iterable[str]) -> str:
    return f"runs your code: Python layers {', '.join(sorted(set(modules)))}"


def wishes_of(options: dict[str, Any]) -> Wishes:
    weights = options["weights"] or ""
    if weights and not os.path.isfile(weights):
        what = "is not a file" if os.path.exists(weights) else "does not exist"
        raise click.UsageError(f'--weights "{weights}" {what}')
    device = options["device"]
    if not known_device(device):
        raise click.UsageError(f'--device "{device}" is not a device; give auto, cpu or cuda:N')
    names = tuple(name.strip() for value in options["watch"] for name in value.split(",") if name.strip())
    iterations = options["iterations"] or Wishes.iterations
    every = max(1, iterations // _POINTS) if options["plot"] else Wishes.statistics_every
    return Wishes(
        iterations,
        options["seed"],
        "cpu",
        weights,
        names,
        options["data"],
        options["timeout"],
        every,
        own_weights=options["weights"] is None,
        as_needed=options["iterations"] is None,
    )


def choice_of(options: dict[str, Any], config: Config) -> Choice:
    """The engine that is asked for, on the command line before the settings."""
    asked = options["caffe_python"]
    return Choice(
        options["engine"],
        options["device"],
        options["gpu"],
        asked or config.caffe_python,
        "--caffe-python" if asked else config.sources.get("caffe_python", "--caffe-python"),
        options["work_dir"],
        not options["no_python_layers"],
    )


class Shown(Watcher):
    """Prints what happens: to stdout with the text format, else to stderr. Progress is shown only on a terminal."""

    def __init__(self, iterations: int, on_stdout: bool, quiet: bool):
        self.iterations = iterations
        self.err = not on_stdout
        self.quiet = quiet
        self.progress = sys.stderr.isatty() and not quiet
        self.drawn = False
        self.reached = 0
        self.told = time.monotonic()

    def __enter__(self) -> Shown:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()
        if kind is KeyboardInterrupt:
            tell(f"interrupted at iteration {self.reached}")

    def say(self, line: str, always: bool = False) -> None:
        """A line, or one with empty lines around it. always: to stderr if quiet."""
        self._clear()
        if always or not self.quiet:
            text = line.strip("\n")
            say(line.replace(text, sentence(text)) if text else line, err=self.err or self.quiet)

    def started(self, engine: Engine, prepared: Prepared) -> None:
        self.iterations = prepared.job.iterations
        self.say(engine_line(engine), always=engine.unasked)
        sources = {item.source for item in prepared.job.inputs}
        if sources:
            self.say(f"data: {' and '.join(sorted(sources))}{', as Caffe reads it' if sources == {REAL} else ''}")
        for note in prepared.notes:
            self.say(f"note: {note}")
        python = {module_of(layer) for built in prepared.built for layer in built.layers if layer.type == "Python"}
        if python:
            self.say(code_line(python), always=True)

    def stopped(self, report: Report) -> None:
        self.say("not run, because a check says that it cannot work; run it anyway with --force\n")

    def event(self, event: Event) -> None:
        if isinstance(event, Note):
            self.say(f"note: {event.message}")
        elif isinstance(event, Iteration):
            self.reached = event.iteration + 1
            line = f"iteration {self.reached} of {self.iterations}  rate {event.rate:.4g}  loss {event.loss:.5g}"
            if self.progress:
                sys.stderr.write(f"\r\x1b[K{line}")
                sys.stderr.flush()
                self.drawn = True
            elif not self.quiet and time.monotonic() - self.told > _SILENCE:
                click.echo(line, err=True)
                self.told = time.monotonic()

    def _clear(self) -> None:
        if self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.drawn = False

    def table(self, session: Session) -> None:
        """The loss over the iterations, and the outputs of the TEST nets."""
        run = session.run
        if run is None or run.first(RateFound) is not None:
            return
        iterations = run.iterations
        if iterations:
            self.say(f"\n{'iteration':>9}  {'rate':>10}  {'loss':>12}")
            for event in _some(iterations):
                self.say(f"{event.iteration:>9}  {event.rate:>10.4g}  {event.loss:>12.5g}")
        for test in run.all(Tested):
            outputs = ", ".join(f"{name} {value:.4g}" for name, value in test.outputs.items())
            self.say(f"TEST net {test.net}, {test.iterations} passes: {outputs}")
        self.say("")

    def verdict(self, session: Session) -> None:
        """The result in a sentence or two."""
        from caffelint.smoke.verdict import sentences

        run = session.run
        said = sentences(run, session.report.findings) if run and run.first(RateFound) is None else []
        if said:
            self.tell(*said)

    def tell(self, first: str, *others: str) -> None:
        """The verdict, below the findings, of which a quiet run shows no more than this."""
        from caffelint.report.fit import clauses

        self._clear()
        lines = []
        for indent, one in (("", first), *(("  ", other) for other in others)):
            begin, *more = clauses(sentence(one), _MOST_LETTERS)
            lines += [indent + begin, *(f"  {indent}{clause}" for clause in more)]
        say("\n".join(lines if self.quiet else ["", *lines]), err=self.err)


def as_json(session: Session) -> dict[str, Any]:
    """The result of a run, for the JSON report (docs/json.md); null for a number that is not finite."""
    from caffelint.smoke.outcome import outcome
    from caffelint.smoke.verdict import verdict

    run, engine = session.run, session.engine
    if run is None or engine is None:
        return {}
    found = run.first(RateFound)
    return {
        "engine": engine.name,
        "device": engine.device,
        "synthetic": run.synthetic,
        "made_up": [{"phase": one.phase, "layer": one.layer, "why": one.why} for one in run.fed.made_up],
        "seen": _finite(outcome(run).seen) or None,
        "iterations": len(run.iterations),
        "losses": [_finite(event.loss) for event in run.iterations],
        "test": [
            {"net": one.net, "passes": one.iterations, "outputs": {top: _finite(v) for top, v in one.outputs.items()}}
            for one in run.all(Tested)
        ],
        "experiments": [_experiment(one) for one in run.tried],
        "verdict": "" if found else verdict(run, session.report.findings),
        "rate": {"largest": found.largest, "suggested": found.suggested} if found else None,
    }


def _experiment(one: Tried) -> dict[str, Any]:
    place = one.hypothesis.place
    ran = bool(one.iterations)
    return {
        "kind": one.hypothesis.kind,
        "file": place.document.path.replace(os.sep, "/"),
        "line": place.line,
        "layer": one.change.layer,
        "change": one.change.text,
        "outcome": one.outcome,
        "iteration": one.iteration if one.kind else None,
        "iterations": one.iterations,
        "first": _finite(one.first) if ran else None,
        "last": _finite(one.last) if ran else None,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _some(iterations: Sequence[Iteration]) -> list[Iteration]:
    if len(iterations) <= _ROWS:
        return list(iterations)
    step = (len(iterations) - 1) / (_ROWS - 1)
    return [iterations[round(number * step)] for number in range(_ROWS)]


def lr_found(request: Request, shown: Shown) -> Session:
    """Run at several rates, and show each when it is over."""
    from caffelint.smoke.find_lr import Trial, why
    from caffelint.smoke.search_rate import search_rate

    def tell(done: Trial) -> None:
        if done.elsewhere and done.idle:
            shown.say(f"base_lr {done.rate:<8g} loss {done.loss:.5g}: {done.idle}, which any rate learns to give")
        elif done.elsewhere:
            shown.say(f"base_lr {done.rate:<8g} ended for another reason: {done.how}")
        elif math.isnan(done.loss):
            shown.say(f"base_lr {done.rate:<8g} breaks{done.how and f': {done.how}'}")
        else:
            more = f", breaks: {done.how}" if done.how else f", learns nothing: {done.idle}" if done.idle else ""
            shown.say(f"base_lr {done.rate:<8g} loss {done.loss:.5g}{more}")

    session = search_rate(request, shown, tell)
    found = session.run.first(RateFound) if session.run else None
    if found and found.largest:
        base_lr = session.run.solver.message.base_lr if session.run else 0.0
        shown.say(f"\nlargest base_lr that stays finite: {found.largest:g}; {why(base_lr, *found[:2], found.idle)}\n")
    elif found:
        shown.say("\nthe run breaks at every rate, so the rate is not the cause\n")
    return session


def plotted(events: Sequence[Event], path: Path, title: str) -> None:
    from caffelint.cli.plots import plotting
    from caffelint.smoke.plot import draw

    with plotting(path):
        draw(events, path, title)
