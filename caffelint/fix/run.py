"""`check --fix`: checks files and folders as `check` does, mends what can be mended, and writes it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from caffelint.fix.mend import Agreed, Mended, Mender
from caffelint.fix.write import SaveError, leads_out, objection, save
from caffelint.lint.checker import Outcome
from caffelint.lint.config import Config
from caffelint.lint.engine import Planned, Progress, outcomes, planned, report
from caffelint.lint.finding import SAFE, UNSAFE
from caffelint.lint.garbage import rare_collections
from caffelint.lint.plan import Job
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import Applied, Report, Unwritten


class Change(NamedTuple):
    """A file's text as it was read and as it is to be."""

    path: str
    old: bytes
    new: bytes


class Fixed(NamedTuple):
    """What is left of the findings, what changed, and what a person should hear about it, a line each."""

    report: Report
    changes: list[Change]
    notes: list[str]


Mend = Callable[[Job, dict[str, bytes], Outcome], Mended]
"""Mends a job, given its texts and what an earlier check of it found, perhaps in other texts."""


def fix(
    paths: Iterable[str | os.PathLike[str]],
    config: Config,
    *,
    unsafe: bool = False,
    least: str = "info",
    write: bool = True,
    agreed: Agreed | None = None,
    progress: Progress | None = None,
    changed: set[str] | None = None,
    texts: Mapping[str, bytes] | None = None,
    alone: bool = False,
) -> Fixed:
    """Apply the safe fixes of the findings in files and folders, with `unsafe` the others, too.

    `left` of the report says what was not fixed, and why.

    Findings below `least` are left alone. `write` False: nothing is written, and the report says what would be left.
    `agreed` is asked about each fix. `changed` and `texts` are those of `caffelint.check`; a text that is given is
    never written; `alone`: each is by itself, and nothing beside it is looked at.
    """
    texts, paths = dict(texts or {}), list(paths)
    found = by_themselves(texts) if alone else planned(paths, config, changed, texts)
    reported = {path for job in found.jobs for path in job.report}
    mender = Mender(
        config,
        {path for path in reported.intersection(found.files) if not leads_out(path, paths)},
        unsafe=unsafe,
        least=least,
        agreed=agreed,
        hurdle=None if texts or not write else objection,
    )
    result = run(found, config, texts, mender.may_have_work, mender.mend, write, progress)
    closed = (Unwritten(path, reason) for path, reason in sorted(mender.closed.items()))
    report = result.report._replace(
        failures=(*result.report.failures, *closed),
        tried=(SAFE, UNSAFE) if unsafe else (SAFE,),
        left=mender.left(result.report.findings),
    )
    notes = [*result.notes, *mender.notes]
    if mender.not_named:
        names = ", ".join(sorted(mender.not_named))
        notes.append(f"left alone, since only named files are written: {names}")
    return Fixed(report, result.changes, notes)


def by_themselves(texts: Mapping[str, bytes]) -> Planned:
    """Jobs for texts that belong to nothing."""
    return Planned(list(texts), [Job((path,), frozenset([path]), ()) for path in texts], [], [])


def run(
    plan: Planned,
    config: Config,
    texts: dict[str, bytes],
    has_work: Callable[[Outcome], bool],
    mend: Mend,
    write: bool,
    progress: Progress | None = None,
) -> Fixed:
    """Check each job, mend it where there is work to do, and write what changed."""
    jobs = plan.jobs
    found: list[Outcome] = []
    applied: list[Applied] = []
    changes: list[Change] = []
    notes: list[str] = []
    with rare_collections():
        for job, outcome in zip(jobs, outcomes(jobs, config, texts), strict=True):
            if has_work(outcome):
                old = _read(job, texts)
                mended = mend(job, dict(old), outcome)
                outcome = mended.outcome._replace(files=outcome.files)
                notes += mended.notes
                wanted = [Change(path, old[path], new) for path, new in mended.texts.items()]
                lost = _save([change for change in wanted if change.path not in texts]) if write else []
                if lost:
                    outcome = next(outcomes([job], config, texts))
                    outcome = outcome._replace(failures=(*lost, *outcome.failures))
                gone = {failure.file for failure in lost}
                changes += (change for change in wanted if change.path not in gone)
                applied += (made for made in mended.applied if made.file not in gone)
            found.append(outcome)
            if progress:
                progress(len(found), len(jobs))
    return Fixed(report(found, config, plan)._replace(applied=tuple(sorted(applied))), changes, notes)


def _read(job: Job, texts: dict[str, bytes]) -> dict[str, bytes]:
    """The texts of a job as they are now: what an earlier check saw may be older."""
    found = {}
    for path in job.files:
        try:
            found[path] = texts[path] if path in texts else read(path)
        except ReadError:
            continue  # the check reports it
    return found


def _save(changes: list[Change]) -> list[Unwritten]:
    """Write each; those that could not be written."""
    failures = []
    for change in changes:
        try:
            save(change.path, change.old, change.new)
        except SaveError as reason:
            failures.append(Unwritten(change.path, str(reason)))
    return failures
