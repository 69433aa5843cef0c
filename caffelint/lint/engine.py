"""From paths to a report: find the files, plan the jobs, run the rules, take away what is suppressed or known."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from caffelint.lint.checker import Checker, Measure, Outcome
from caffelint.lint.config import COMMAND_LINE, Config
from caffelint.lint.discover import discover, disguised, suffix_globs, wanted
from caffelint.lint.garbage import rare_collections
from caffelint.lint.packed import gathered
from caffelint.lint.plan import Job
from caffelint.lint.plan import plan as plan_jobs
from caffelint.lint.project.memory import forget
from caffelint.lint.registry import find_rule
from caffelint.lint.report import Failure, Report, ReportedFinding, UsedCaffe, in_order_of
from caffelint.lint.select import most_exact
from caffelint.schema.detect import NET, SOLVER
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.timing import Seconds

Progress = Callable[[int, int], None]


class Planned(NamedTuple):
    """What a run is to do: the files that were named or lie below named folders, and the jobs that check them.

    `lookalikes` are those of `caffelint.lint.discover.Found`.
    """

    files: list[str]
    jobs: list[Job]
    failures: list[Failure]
    lookalikes: list[str]


_WORTH_A_POOL = 2 << 20


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    config: Config | None = None,
    *,
    dialect: str | None = None,
    progress: Progress | None = None,
    changed: set[str] | None = None,
    texts: Mapping[str, bytes] | None = None,
    seconds: Seconds | None = None,
    measure: Measure | None = None,
) -> Report:
    """Check files and folders. See `caffelint.check`, which this is.

    `changed`: only files of that set of absolute paths and the solvers of its nets. `texts`: content to use in place
    of what is on disk, by path; such a path need not exist. `seconds`: where what each rule takes is added up; all is
    done anew and in this process then. `measure`: what measures data; it can be pickled.
    """
    config = _for_dialect(config or Config(), dialect)
    if seconds is not None:
        config = copy(config)
        config.cache, config.jobs = False, 1
    texts = texts or {}
    plan = planned(paths, config, changed, texts)

    def found() -> Iterator[Outcome]:
        for number, outcome in enumerate(outcomes(plan.jobs, config, texts, seconds, measure), 1):
            yield outcome
            if progress:
                progress(number, len(plan.jobs))

    with rare_collections():
        return report(found(), config, plan, texts)


def planned(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    config: Config,
    changed: set[str] | None,
    texts: Mapping[str, bytes],
) -> Planned:
    """Find the files and group them; a path that leads nowhere is a failure. What earlier runs found is forgotten."""
    forget()
    paths = [paths] if isinstance(paths, str | os.PathLike) else paths
    on_disk = [os.fspath(path) for path in paths if os.fspath(path) not in texts]
    which = wanted(config)
    found = discover(on_disk, which, config.roots)
    others = [] if found.files or texts else found.lookalikes or _disguised(on_disk)
    if others:
        # All nets and solvers have another name, as `.pbtxt`: they are what is to be checked.
        include = [*which.include, *suffix_globs(others)]
        found = discover(on_disk, which._replace(include=include), config.roots)
    files = [*texts, *found.files]
    failures = [Failure(path, reason) for path, reason in found.unreadable]
    return Planned(files, plan_jobs(files, config.roots, changed, texts), failures, found.lookalikes)


def _disguised(paths: Sequence[str]) -> list[str]:
    from caffelint.lint.project.lowered import is_named_template

    return [path for path in disguised(paths) if not is_named_template(path)]


def check_text(
    text: str | bytes,
    *,
    kind: str | None = None,
    dialect: str | None = None,
    path: str = "<text>",
    config: Config | None = None,
    folder: str | None = None,
) -> Report:
    """Check a text by itself. See `caffelint.check_text`, which this is.

    `folder`: one whose Caffe is to read the text, as it reads the files there.
    """
    if kind not in (None, NET, SOLVER):
        raise ValueError(f'kind is "{kind}"; it takes "{NET}" or "{SOLVER}", or None to infer it from the text')
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    checker = Checker(_for_dialect(config or Config(), dialect)) if config or dialect else _plain_checker()
    return report([checker.text(data, path, kind, checker.config.dialect, folder)], checker.config)


@lru_cache(maxsize=1)
def _plain_checker() -> Checker:
    """Without settings, for text after text: to choose the rules and make them takes as long as a small net."""
    return Checker(Config())


def _for_dialect(config: Config, dialect: str | None) -> Config:
    """The settings with that dialect. Raises `ValueError` if there is no such dialect."""
    if dialect is None:
        return config
    from caffelint.schema.provenance import provenance

    config = copy(config)
    config.dialect = provenance().dialect(dialect)
    return config


def report(
    found: Iterable[Outcome], config: Config, plan: Planned | None = None, texts: Mapping[str, bytes] | None = None
) -> Report:
    """What all jobs gave, without what the baseline of `config` holds; `plan` is where they come from.

    Nothing but the findings is kept of one outcome when the next is asked for. `texts` as in `check`.
    """
    failures: dict[Failure, None] = {}
    notes: dict[str, None] = {}
    used: Counter[UsedCaffe] = Counter()
    files = suppressed = 0

    def findings_of(outcome: Outcome) -> Sequence[ReportedFinding]:
        nonlocal files, suppressed
        files += outcome.files
        suppressed += outcome.suppressed
        failures.update(dict.fromkeys(outcome.failures))
        notes.update(dict.fromkeys(outcome.notes))
        for one in outcome.caffes:
            if one.why or one.note:
                used[one._replace(files=0)] += one.files
        return outcome.findings

    findings = gathered(chain.from_iterable(map(findings_of, found)))
    groups: Iterable[Sequence[ReportedFinding]] = [findings]
    if plan and findings:
        from caffelint.lint.copies import lower_copies
        from caffelint.lint.project.weighed import weigh

        findings = gathered(lower_copies(findings, texts or {})) if len(plan.files) > 1 else findings
        groups = weigh(findings, plan.jobs, _set_by(config, findings))
    if config.baseline:
        from caffelint.lint import baseline

        path = Path(config.baseline)
        is_unknown = baseline.unknown(baseline.read(path), path)
        groups = ([*filter(is_unknown, group)] for group in groups)
    left = in_order_of(groups)
    return Report(
        left,
        files,
        tuple({**dict.fromkeys(plan.failures if plan else ()), **failures}),
        suppressed,
        len(findings) - len(left),
        caffes=tuple(one._replace(files=files) for one, files in sorted(used.items(), key=str)),
        lookalikes=tuple(plan.lookalikes) if plan else (),
        notes=tuple(notes),
    )


def _set_by(config: Config, findings: Iterable[ReportedFinding]) -> frozenset[str]:
    """The rules among those of findings whose severity the settings give."""
    rules = {one.name: find_rule(one.name) for one in findings} if config.severity else {}
    return frozenset(name for name, info in rules.items() if info and most_exact(info, config.severity) is not None)


def outcomes(
    jobs: Sequence[Job],
    config: Config,
    texts: Mapping[str, bytes],
    seconds: Seconds | None = None,
    measure: Measure | None = None,
) -> Iterator[Outcome]:
    """What each job gives, in their order; on several cores where that pays. The rest as in `check`."""
    workers = _workers(config)
    if workers > 1 and len(jobs) > 1 and not texts and _size(jobs) > _WORTH_A_POOL:
        yield from _pooled(jobs, config, min(workers, len(jobs)), measure)
        return
    checker = Checker(config, texts, measure=measure)
    if seconds is not None:
        from caffelint.lint.timing import TimedRuleSet

        checker.judge.rules = TimedRuleSet(checker.judge.rules, seconds)
    yield from map(checker.job, jobs)


def _workers(config: Config) -> int:
    """Processes to use; what a file says is no more than there are processors."""
    from caffelint.lint.workers import can_share

    if not can_share():
        return 1
    processors = os.cpu_count() or 1
    is_asked = config.sources.get("jobs", COMMAND_LINE) == COMMAND_LINE
    return (config.jobs if is_asked else min(config.jobs, processors)) or processors


def _size(jobs: Sequence[Job]) -> int:
    size = 0
    for job in jobs:
        for file in job.files:
            try:
                size += os.path.getsize(file)
            except OSError:
                continue
            if size > _WORTH_A_POOL:
                return size
    return size


def _pooled(jobs: Sequence[Job], config: Config, workers: int, measure: Measure | None) -> Iterator[Outcome]:
    from caffelint.lint.workers import WorkerEnded, share

    Checker(config).warm()
    try:
        yield from share(_work, jobs, workers, chunk=8, start=_start, given=(config, measure))
    except WorkerEnded as error:
        lost = [path for job in jobs[error.done :] for path in sorted(job.report)]
        yield Outcome((), (error.failure(lost, "checked"),), 0, 0)


_checker: Checker | None = None


def _start(config: Config, measure: Measure | None) -> None:
    global _checker
    _checker = Checker(config, measure=measure)


def _work(job: Job) -> Outcome:
    assert _checker is not None
    return _checker.job(job)
