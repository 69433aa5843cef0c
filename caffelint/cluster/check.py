"""`caffelint.check` over the processes of a cluster, and over files that lie elsewhere; the same report either way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from caffelint.cluster.mirror import Part, is_remote, matching, mirrored, named, split
from caffelint.cluster.streams import reason
from caffelint.cluster.workers import share
from caffelint.lint.checker import Checker, Outcome
from caffelint.lint.config import Config
from caffelint.lint.discover import wanted
from caffelint.lint.engine import planned, report
from caffelint.lint.garbage import rare_collections
from caffelint.lint.plan import Job
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import Failure, Report, ReportedFinding, UsedCaffe

_MOST_PARTS = 16
"""In how many parts an archive or a folder is looked at, each of which goes through the whole."""
_MOST, _TURNS = 32, 4
"""Files that are handed out at once, at most, and how many times a worker gets some, at least."""


class Looked(NamedTuple):
    """What came of it; `digests` of the files with findings, to tell copies of a file."""

    outcomes: Sequence[Outcome]
    files: Sequence[str] = ()
    failures: Sequence[Failure] = ()
    lookalikes: Sequence[str] = ()
    digests: Mapping[str, bytes] = {}


def check(
    paths: Sequence[str],
    config: Config,
    client: Any = None,
    progress: Callable[[int, int], None] | None = None,
    changed: set[str] | None = None,
) -> Report:
    """Check files and folders as `caffelint.check` does. client: of `connected`; None for this process alone.

    Paths of fsspec may be among them, each of what their wildcards mean by itself. Raises `NoCluster`, and
    `ModuleNotFoundError` where they need an fsspec that is not installed.
    """
    remote = [path for path in paths if is_remote(path)]
    if remote:
        import fsspec  # noqa: F401
    plan = planned([path for path in paths if path not in remote], config, changed, {})
    jobs: list[Job | Part] = [*plan.jobs]
    for url in remote:
        try:
            matches, strange = matching(url, 1 if client is None else _MOST_PARTS)
        except Exception as error:
            plan.failures.append(_unread(url, error))
            continue
        jobs += matches
        plan.failures.extend(Failure(name, "is not read, since :: and :// in a name mean more") for name in strange)
    digests: dict[str, bytes] = {}

    def found() -> Iterator[Outcome]:
        for number, looked in enumerate(_looked(jobs, config, client), 1):
            yield from looked.outcomes
            plan.files.extend(looked.files)
            plan.failures.extend(looked.failures)
            plan.lookalikes.extend(looked.lookalikes)
            digests.update(looked.digests)
            if progress:
                progress(number, len(jobs))

    with rare_collections():
        return report(found(), config, plan, digests)


def _looked(jobs: Sequence[Job | Part], config: Config, client: Any) -> Iterator[Looked]:
    if client is not None:
        chunk = max(1, min(_MOST, len(jobs) // (_TURNS * max(1, len(client.nthreads())))))
        yield from share(client, _work, jobs, _lost, chunk=chunk, start=_start, given=(config,))
    else:
        _start(config)
        yield from map(_work, jobs)


def _lost(job: Job | Part) -> Looked:
    path = job.url if isinstance(job, Part) else min(job.report)
    message = "this file ended each process that checked it, perhaps for lack of memory"
    return Looked([Outcome((), (Failure(path, message, True),), 0, 0)])


_checker: Checker | None = None


def _start(config: Config) -> None:
    global _checker
    _checker = Checker(config)


def _work(job: Job | Part) -> Looked:
    assert _checker is not None
    if isinstance(job, Job):
        return Looked([_checker.job(job)._replace(of=None)])
    try:
        return _elsewhere(job, _checker)
    except Exception as error:  # each library of fsspec has its own
        return Looked([], failures=[_unread(job.url, error)])


def _elsewhere(part: Part, checker: Checker) -> Looked:
    """Copy, check, and name all files as they are named there."""
    config = checker.config
    with mirrored(part, wanted(config)) as mirror:
        plan = planned(mirror.paths, config, None, {})
        outcomes = [*map(Checker(config).job, plan.jobs)]
        files = {finding.file for outcome in outcomes for finding in outcome.findings}
        digests = {file: _digest(file) for file in files}
    unreadable = dict(mirror.unreadable)
    top = part.url if part.names or mirror.paths == (".",) else _parent(part.url)

    def is_meant(file: str) -> bool:
        return mirror.paths == (".",) or file.partition("/")[0] in mirror.paths

    def name(file: str) -> str:
        return named(top, file.replace(os.sep, "/"))

    return Looked(
        [_renamed(outcome, name) for outcome in outcomes],
        [*map(name, plan.files)],
        [Failure(name(file), why) for file, why in mirror.unreadable if is_meant(file)]
        + [one._replace(file=name(one.file)) for one in plan.failures if one.file not in unreadable],
        [*map(name, plan.lookalikes)],
        {name(file): digest for file, digest in digests.items()},
    )


def _renamed(outcome: Outcome, name: Callable[[str], str]) -> Outcome:
    return outcome._replace(
        findings=tuple(_finding(finding, name) for finding in outcome.findings),
        failures=tuple(failure._replace(file=name(failure.file)) for failure in outcome.failures),
        caffes=tuple(_caffe(caffe, name) for caffe in outcome.caffes),
        of=None,
    )


def _finding(finding: ReportedFinding, name: Callable[[str], str]) -> ReportedFinding:
    cause = finding.cause
    return finding._replace(
        file=name(finding.file),
        related=tuple(other._replace(file=name(other.file)) for other in finding.related),
        fixes=tuple(fix._replace(edits=tuple((name(file), edit) for file, edit in fix.edits)) for fix in finding.fixes),
        cause=cause and cause._replace(file=name(cause.file)),
    )


def _caffe(caffe: UsedCaffe, name: Callable[[str], str]) -> UsedCaffe:
    return caffe._replace(name=name(caffe.name)) if caffe.name.endswith(".proto") else caffe


def _parent(url: str) -> str:
    link, chained, rest = url.partition("::")
    return f"{split(link)[0]}{chained}{rest}"


def _digest(file: str) -> bytes:
    try:
        return sha256(read(file)).digest()
    except ReadError:
        return b""


def _unread(url: str, error: Exception) -> Failure:
    """Also where the library for such a path is missing, which fsspec says in its own words."""
    if isinstance(error, RecursionError):
        return Failure(url, "cannot be read: names or headers are nested deeper than any need be")
    said = reason(error)
    return Failure(url, f"cannot be read: {said[:1].lower()}{said[1:]}")
