"""What `caffelint log` reads and prints."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import click

import caffelint
from caffelint.cli.plots import plotting, ready_to_plot
from caffelint.cli.tell import say, tell
from caffelint.evidence.log.evidence import LogEvidence
from caffelint.evidence.log.files import ENDED, STDIN, Growth, chunks, known, solvers_beside
from caffelint.evidence.log.reader import Heard, Reader
from caffelint.evidence.log.recovered import check
from caffelint.evidence.log.static import borne_out
from caffelint.evidence.log.table import Csv, Numbers, as_json
from caffelint.evidence.log.told import lines_of
from caffelint.evidence.log.watch import ENDINGS, Watch
from caffelint.lint.read import ReadError
from caffelint.lint.report import Failure, Report, in_order
from caffelint.text.records import NamedTuple
from caffelint.text.writing import write_report

if TYPE_CHECKING:
    from caffelint.cli.outputs import Output
    from caffelint.evidence.log.values import TrainingLog
    from caffelint.lint.config import Config

_POLL = 1.0
"""Seconds between two looks at a log that grows."""
_SHOWN = "<stdin>"


class Wanted(NamedTuple):
    """What the command line asks for. tables: where csv goes, None for stdout. as_json: is a JSON report wanted?"""

    logs: Sequence[str]
    solver: str | None
    plot: Path | None
    follow: bool
    until: str
    check: bool
    tables: Sequence[Path | None]
    as_json: bool
    quiet: bool
    on_stdout: bool


class Outcome(NamedTuple):
    report: Report
    logs: list[TrainingLog]


def reports(asked: Wanted, config: Config) -> Outcome:
    """Read all logs and judge them."""
    ends = [word.strip() for word in asked.until.split(",") if word.strip()]
    for word in ends:
        if word not in ENDINGS:
            raise click.UsageError(f'--until "{word}" is not known; give nan, stuck or both')
    if asked.plot:
        ready_to_plot(asked.plot)
    solver = _solver(asked.solver) if asked.solver else None
    numbers = Numbers()
    logs: list[TrainingLog] = []
    findings: list[Any] = []
    failures: list[Failure] = []
    suppressed = 0
    with ExitStack() as kept:
        texts = [kept.enter_context(_kept()) for _ in asked.tables]
        tables = [Csv(text.write if file else sys.stdout.write) for file, text in zip(asked.tables, texts, strict=True)]
        for path in asked.logs:
            shown = _SHOWN if path == STDIN else path
            for table in tables:
                table.path = shown
            heard = _heard(tables, numbers if asked.as_json else None)
            try:
                log = _read(path, shown, heard, Watch(ends) if asked.follow else None, asked)
            except ReadError as error:
                failures.append(Failure(shown, str(error)))
                continue
            logs.append(log)
            judged, silenced = _judged(log, config, asked.check, solver)
            findings += judged
            suppressed += silenced
        for table in tables:
            table.flush()
        for file, text in zip(asked.tables, texts, strict=True):
            if file and logs:
                _write(file, text)
    extra = {"logs": as_json(logs, numbers)} if asked.as_json else {}
    report = Report(in_order(findings), len(logs), tuple(failures), suppressed, evidence=extra)
    return Outcome(report, logs)


def reported(outcome: Outcome, asked: Wanted, wanted: Sequence[Output], config: Config, verbose: bool) -> int:
    """Print and write all that is wanted, and give the exit status."""
    from caffelint.cli.outputs import write_all
    from caffelint.report import Look

    report, logs = outcome
    if not asked.quiet:
        from caffelint.report.lr_table import blocks

        for log in logs:
            for line in lines_of(log, blocks, [] if asked.solver else solvers_beside(log.path)):
                say(line, err=not asked.on_stdout)
    if asked.plot and logs:
        from caffelint.evidence.log.plot import draw

        with plotting(asked.plot):
            draw(logs, asked.plot)
    least = "info" if verbose or config.fail_on == "info" else "warning"
    write_all(report, wanted, Look(least=least, quiet=asked.quiet or not logs, fail_on=config.fail_on, fixes=False))
    for failure in report.failures:
        tell(f"{failure.file}: {failure.message}")
    return report.exit_status(config.fail_on)


def _read(path: str, shown: str, heard: Heard | None, watch: Watch | None, asked: Wanted) -> TrainingLog:
    reader = Reader(shown, heard)
    more = None
    if watch is not None:
        more = _more(watch, path, shown)
    for chunk in chunks(path, more):
        reader.feed(chunk)
        if watch is not None and watch.looks_at(reader.log):
            break
    return known(reader.end())


def _more(watch: Watch, path: str, shown: str) -> Callable[[], bool]:
    """Wait for a log to grow, unless its run has ended, or nothing can come after what was read."""
    growth = Growth(path)

    def wait() -> bool:
        if watch.over:
            return False
        if over := growth.over():
            if over != ENDED:
                tell(f"{shown}: {over}, so it is read no further")
            return False
        time.sleep(_POLL)
        return True

    return wait


def _judged(log: TrainingLog, config: Config, checks: bool, solver: Any) -> tuple[list[Any], int]:
    from caffelint.lint.checker import Checker

    evidence = LogEvidence(log, solver_file=solver)
    found: list[Any] = []
    if checks and log.run is not None:
        recovered = evidence.recovered(log.run)
        if recovered.is_of_file:
            found += caffelint.check([solver.path], config).findings
        else:
            found += check(recovered, log.path, config).findings
        evidence.static = tuple(found)
    files = {solver.path: solver} if solver is not None else {}
    judged, suppressed = Checker(config).evidence("log", evidence, files)
    if log.run is not None:
        solver = evidence.recovered(log.run).solver
        found = borne_out(found, log.run, judged, solver.message.max_iter if solver else None)
    return [*found, *judged], suppressed


def _heard(tables: Sequence[Csv], numbers: Numbers | None) -> Heard | None:
    sinks = [table.heard for table in tables] + ([numbers.heard] if numbers is not None else [])
    if not sinks:
        return None
    if len(sinks) == 1:
        return sinks[0]

    def all_of_them(*number: Any) -> None:
        for sink in sinks:
            sink(*number)

    return all_of_them


def _kept() -> IO[str]:
    """For what is written in one step in the end."""
    return TemporaryFile("w+", encoding="utf-8", errors="backslashreplace", newline="")


def _write(file: Path, text: IO[str]) -> None:
    text.seek(0)
    try:
        write_report(file, text.buffer)  # type: ignore[attr-defined]
    except OSError as error:
        raise click.ClickException(f"{file}: cannot be written: {(error.strerror or str(error)).lower()}") from error


def _solver(path: str) -> Any:
    from caffelint.lint.file import load
    from caffelint.lint.read import read

    try:
        file = load(read(path), path)
    except ReadError as error:
        raise click.ClickException(f"{path}: {error}") from error
    if file.solver is None:
        raise click.ClickException(f"{path}: not a solver")
    return file
