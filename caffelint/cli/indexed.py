"""What `caffelint report FOLDER` reads and writes: an index, and a page for each project."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import click

import caffelint
from caffelint.cli.progress import Progress
from caffelint.cli.reported import Asked, not_written, project_of, ready, write
from caffelint.cli.tell import say, tell
from caffelint.lint.baseline import BaselineError, subtract
from caffelint.lint.baseline import read as read_baseline
from caffelint.lint.config import Config
from caffelint.lint.engine import planned
from caffelint.lint.reach import is_below
from caffelint.lint.report import Failure, Report, own_failure
from caffelint.page.html import page
from caffelint.page.index import Entry, Trend, index
from caffelint.report.words import count
from caffelint.text.visible import visible
from caffelint.text.writing import all_or_none

_MOST_PAGES, _MOST_OF_ONE = 500, 20
"""Pages that are written, and those of them that show one net."""
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def indexed(asked: Asked, config: Config, with_pages: bool) -> int:
    """Write the index, and the pages that it links to. Raises `click.ClickException`."""
    ready(asked.output, "page")
    known, config.baseline = config.baseline, None
    entries = _projects(asked.path, config)
    if not entries:
        raise click.ClickException(f"{asked.path}: no solvers or nets")
    with Progress() as progress:
        report = caffelint.check([asked.path], config, progress=progress)
    trend = _trend(report, Path(known), asked.path) if known else None
    failures = list(report.failures)
    with all_or_none() as made:
        if with_pages:
            entries = _written(asked, config, entries, report, failures, made)
        write(asked.output, index(asked.path, entries, report.findings, failures, trend))
    pages = sum(bool(entry.page) for entry in entries)
    more = f", and {count(pages, 'page')} in {_folder(asked.output)}" if pages else ""
    say(visible(f"{asked.output} written{more}"))
    for failure in failures:
        tell(f"{failure.file}: {failure.message}")
    return Report(failures=tuple(failures)).exit_status()


def _projects(path: str, config: Config) -> list[Entry]:
    """Each solver with its nets, and each net that no solver names."""
    found: dict[str, Entry] = {}
    for job in planned([path], config, None, {}).jobs:
        solved: set[str] = set()
        for solver, named in job.nets:
            nets = {net.path for net in named if net.path is not None}
            if solver in job.report:
                found[solver] = Entry(solver, frozenset({solver, *nets}))
                solved |= nets
        for file in job.files:
            if file in job.report and file not in solved and file not in found:
                found[file] = Entry(file, frozenset({file}))
    return [found[path] for path in sorted(found)]


def _trend(report: Report, path: Path, folder: str) -> Trend:
    """Against the part of a baseline that is about files below the folder."""
    try:
        known = read_baseline(path)
    except BaselineError as error:
        raise click.ClickException(str(error)) from error
    here = str(Path(folder).resolve())
    before: Counter[str] = Counter()
    for file, keys in known.items():
        if is_below(str((path.parent.resolve() / file).resolve()), here):
            for key, times in keys.items():
                before[key.partition(":")[0]] += times
    left, _ = subtract(report.findings, known, path)
    return Trend(before, Counter(finding.name for finding in left))


def _folder(output: Path) -> Path:
    return output.parent / f"{output.stem}-pages"


def _written(
    asked: Asked, config: Config, entries: list[Entry], report: Report, failures: list[Failure], made: list[Path]
) -> list[Entry]:
    """The entries with their pages; what cannot be shown has none, and is said why where that is not plain.

    made: gets the folder, if it is new.
    """
    folder = _folder(asked.output)
    try:
        if not folder.is_dir():
            folder.mkdir()
            made.append(folder)
    except OSError as error:
        raise click.ClickException(f"{folder}: cannot be made: {(error.strerror or str(error)).lower()}") from error
    back = quote(f"../{asked.output.name}")
    found: list[Entry] = []
    times: Counter[str] = Counter()
    with Progress(unit="pages") as progress:
        for number, entry in enumerate(entries):
            progress(number, len(entries))
            name = f"{number:03}-{_NAME.sub('-', entry.path)[-80:].strip('-.')}.html"
            times.update(entry.files)
            is_one_of_many = number >= _MOST_PAGES or max(times[file] for file in entry.files) > _MOST_OF_ONE
            shown = not is_one_of_many and _one(asked, config, entry, report, folder / name, back, failures)
            found.append(entry._replace(page=quote(f"{folder.name}/{name}")) if shown else entry)
    return found


def _one(
    asked: Asked, config: Config, entry: Entry, report: Report, output: Path, back: str, failures: list[Failure]
) -> bool:
    """Write the page of a project. Is there one? A file that is neither solver nor net has none."""
    own = report._replace(
        findings=tuple(finding for finding in report.findings if finding.file in entry.files),
        failures=tuple(failure for failure in report.failures if failure.file in entry.files),
        suppressed=0,  # of all projects
    )
    ready(output, "page")
    try:
        try:
            project = project_of(asked._replace(path=entry.path), config, own)
        except click.ClickException:
            return False
        if reason := not_written(output, page(project._replace(home=back))):
            failures.append(Failure(str(output), reason))
            return False
    except Exception as error:
        failures.append(own_failure(entry.path, error))
        return False
    return True
