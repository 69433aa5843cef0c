"""What `caffelint data` reads and prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caffelint.cli.plots import plotting, ready_to_plot
from caffelint.cli.progress import Progress
from caffelint.cli.tell import say, tell
from caffelint.evidence.data.evidence import name_of
from caffelint.evidence.data.look import look
from caffelint.evidence.data.scan import Done, Scan
from caffelint.evidence.data.told import lines_of
from caffelint.lint.joined import NotJoined, load_joined
from caffelint.lint.report import Failure, Report, in_order
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.cli.outputs import Output
    from caffelint.evidence.data.evidence import DataEvidence
    from caffelint.lint.config import Config


class Wanted(NamedTuple):
    """What the command line asks for. on_stdout: does a report for people go there?"""

    paths: Sequence[str]
    sample: int
    plot: Path | None
    jobs: int
    quiet: bool
    verbose: bool
    on_stdout: bool


class Looked(NamedTuple):
    report: Report
    found: list[DataEvidence]


def looked(asked: Wanted, config: Config) -> Looked:
    """Read the sources of all files, and judge them."""
    from caffelint.evidence.data.table import as_json
    from caffelint.lint.checker import Checker

    if asked.plot:
        ready_to_plot(asked.plot)
    found: list[DataEvidence] = []
    findings: list[Any] = []
    failures: list[Failure] = []
    suppressed = 0
    with Progress(asked.quiet, unit="records") as progress:

        def heard(done: Done) -> None:
            progress(done.done, max(done.total, done.done))

        with Scan(asked.jobs, asked.sample, config.cache, heard) as scan:
            for path in asked.paths:
                try:
                    files = load_joined(path, config)
                except NotJoined as error:
                    failures.append(Failure(path, str(error).removeprefix(f"{path}: ")))
                    continue
                if not files[path].solver and not files[path].net:
                    failures.append(Failure(path, "neither a solver nor a net"))
                    continue
                data = look(files[path], scan, config.roots)
                if not data.feeds:
                    failures.append(Failure(path, "no layer reads data, so there is nothing to look into"))
                    continue
                failures += without_library(data)
                found.append(data)
                judged, silenced = Checker(config).evidence("dataset", data, files)
                findings += judged
                suppressed += silenced
            if asked.plot and found:
                from caffelint.evidence.data.plot import draw

                with plotting(asked.plot):
                    draw(found, scan, asked.plot)
    extra = {"data": [one for data in found for one in as_json(data)]}
    return Looked(Report(in_order(findings), len(found), tuple(failures), suppressed, evidence=extra), found)


def without_library(data: DataEvidence) -> list[Failure]:
    """The sources that nothing can be said of, since the library that reads them is not installed."""
    missing = {source: one for source, one in data.scanned.items() if one.missing}
    return [Failure(name_of(source), one.error) for source, one in missing.items()]


def report(result: Looked, asked: Wanted, wanted: Sequence[Output], config: Config) -> int:
    """Print and write all that is wanted, and give the exit status."""
    from caffelint.cli.outputs import write_all
    from caffelint.report import Look

    if not asked.quiet:
        for data in result.found:
            for line in lines_of(data):
                say(line, err=not asked.on_stdout)
    least = "info" if asked.verbose or config.fail_on == "info" else "warning"
    write_all(result.report, wanted, Look(least=least, quiet=asked.quiet, fail_on=config.fail_on, fixes=False))
    for failure in result.report.failures:
        tell(f"{failure.file}: {failure.message}")
    return result.report.exit_status(config.fail_on)
