"""Checks jobs: reads their files and what is around them, and has them judged where no result is stored."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from caffelint.lint.cache import key, load, store
from caffelint.lint.config import NO_SETTINGS, Config
from caffelint.lint.disk import forget, looked
from caffelint.lint.garbage import no_collections
from caffelint.lint.plan import Job
from caffelint.lint.project.caffes import NONE, Caffes
from caffelint.lint.project.net_runs import is_solver_alone, runs_by_net
from caffelint.lint.project.pages import page_by_file
from caffelint.lint.project.python_layers import modules_of, tell_modules
from caffelint.lint.read import ReadError, read_prototxt
from caffelint.lint.registry import NoRulesError, RuleInfo, plugin_state, use_plugins
from caffelint.lint.report import Failure, ReportedFinding, UsedCaffe, own_failure
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.net import Net
    from caffelint.lint.file import File
    from caffelint.lint.judge import Judge
    from caffelint.project.solver_runs import Runs

_OF_NO_MATTER = frozenset(["baseline", "cache", "caffe_python", "fail_on", "jobs", *NO_SETTINGS])
"""Settings that leave the findings of a job as they are."""
_NO_RUNS: Mapping[str, Runs] = MappingProxyType({})

_Found = TypeVar("_Found")
Measure = Callable[["Net", Config], Mapping[str, Any]]
"""The signals of the data of a net by top, read from their sources: lint itself looks at their first record alone."""


class Outcome(NamedTuple):
    """What one job gave. `of` is the `fingerprint` of the texts that it read; None where it comes from the cache."""

    findings: tuple[ReportedFinding, ...]
    failures: tuple[Failure, ...]
    suppressed: int
    files: int
    caffes: tuple[UsedCaffe, ...] = ()
    of: int | None = None
    notes: tuple[str, ...] = ()


def fingerprint(texts: Mapping[str, bytes]) -> int:
    """Differs where texts do; in another process, it may differ for the same texts."""
    return hash(frozenset(texts.items()))


def _of_each(
    find: Callable[[Mapping[str, bytes]], Mapping[str, _Found]], contents: Mapping[str, bytes], failed: list[Failure]
) -> Mapping[str, _Found]:
    """What is found out about files: about all at once or, where that fails, about each, so that only one may fail."""
    try:
        return find(contents)
    except Exception:
        found: dict[str, _Found] = {}
        for path, data in contents.items():
            try:
                found.update(find({path: data}))
            except Exception as error:
                failed.append(own_failure(path, error))
        return found


class Checker:
    """Runs jobs with one configuration."""

    def __init__(
        self,
        config: Config,
        texts: Mapping[str, bytes] | None = None,
        infos: Sequence[RuleInfo] | None = None,
        most_problems: int | None = None,
        measure: Measure | None = None,
    ):
        """`infos`: the rules to run; by default those of the settings. `most_problems`: of the parser, its own if None.

        `measure`: what measures the data of a net, for its `measure`; only called where the settings let it.
        """
        self.config = config
        self.texts = texts or {}
        self.caffes = Caffes(config)
        self._given = infos, most_problems, measure
        use_plugins(config.plugins, config.code)
        values = {name: value for name, value in vars(config).items() if name not in _OF_NO_MATTER}
        where = config.folder_of("per_file_ignores"), os.getcwd()
        self._settings = repr((sorted(values.items()), *where, plugin_state())).encode()

    @cached_property
    def judge(self) -> Judge:
        """Made when a file is first judged: what is in the cache needs no rules. Raises `NoRulesError`."""
        from caffelint.lint.judge import Judge

        return Judge(self.config, *self._given)

    def warm(self) -> None:
        """Import what every worker needs, before there are workers."""
        self.text(b'layer { name: "x" type: "ReLU" bottom: "a" top: "a" }', "<text>", None, None)
        self.text(b'base_lr: 1 lr_policy: "fixed" net: "x" max_iter: 1', "<text>", None, None)

    @no_collections()
    def text(self, data: bytes, path: str, kind: str | None, dialect: str | None, folder: str | None = None) -> Outcome:
        """What a text by itself gives; read by the Caffe of a folder if there is one."""
        failures: list[Failure] = []
        taken = self.caffes.of(os.path.join(folder, path)) if folder else NONE
        file = self.judge.load(data, path, kind, dialect, failures, taken.caffe, taken.forks)
        if file is None:
            return Outcome((), tuple(failures), 0, 1)
        found, suppressed = self.judge.findings({path: file}, (), frozenset([path]), failures)
        findings = self.judge.reported(found)
        file.release()
        return Outcome(findings, tuple(failures), suppressed, 1)

    @no_collections()
    def job(self, job: Job) -> Outcome:
        failures: list[Failure] = []
        try:
            return self._job(job, failures)
        except NoRulesError:
            raise
        except Exception as error:
            first, *others = sorted(job.report)
            together = f'not checked, because caffelint failed on what it is checked with: "{first}"'
            failures += (own_failure(first, error), *(Failure(path, together, True) for path in others))
            return Outcome((), tuple({one.file: one for one in failures}.values()), 0, 0)

    @no_collections()
    def joined(self, job: Job) -> dict[str, File]:
        """The files of a job, with solvers and nets joined as for a check, for those who look at them without rules.

        Whoever asks releases them (`File.release`). What cannot be read is left out.
        """
        failures: list[Failure] = []
        contents = self._contents(job, failures)
        files = self._files(contents, failures)
        modules = modules_of(contents, self.config.roots)
        tell_modules((net for file in files.values() for net in file.nets), modules)
        self.judge.join(files, job.nets, failures)
        return files

    def _contents(self, job: Job, failures: list[Failure]) -> dict[str, bytes]:
        contents: dict[str, bytes] = {}
        for path in job.files:
            data = self._read(path, failures if path in job.report else [])
            if data is not None:
                contents[path] = data
        return contents

    def _files(self, contents: Mapping[str, bytes], failures: list[Failure]) -> dict[str, File]:
        files: dict[str, File] = {}
        for path, data in contents.items():
            taken = self.caffes.of(path)
            if (
                file := self.judge.load(data, path, None, taken.dialect, failures, taken.caffe, taken.forks)
            ) is not None:
                files[path] = file
        return files

    def _job(self, job: Job, failures: list[Failure]) -> Outcome:
        contents = self._contents(job, failures)
        modules = modules_of(contents, self.config.roots)
        failed: list[Failure] = []
        _of_each(lambda some: {path: self.caffes.of(path) for path in some}, contents, failed)
        runs = _of_each(lambda some: self._runs(some, job), contents, failed)
        net_runs = _of_each(lambda some: runs_by_net(some, job.nets), contents, failed)
        pages = _of_each(page_by_file, contents, failed)
        for one in failed:
            contents.pop(one.file, None)
        failures += {one.file: one for one in failed if one.file in job.report}.values()
        report = job.report - {one.file for one in failed}
        checked = len(job.report & contents.keys())
        used = tuple(self._used(path) for path in job.report & contents.keys())
        name = ""
        if self.config.cache and not self.texts and not self.config.read_data:
            python = [file for found in modules.values() for file in found]
            parts = [*contents.items(), *python, ("nets", repr((sorted(job.report), job.nets, job.siblings)).encode())]
            caffes = {self.caffes.of(path).key: None for path in contents}
            told = [sorted(one.items()) for one in (runs, net_runs, pages)]
            parts.append(("told", repr(told).encode(errors="surrogateescape")))
            parts += (("caffe", caffe.encode(errors="surrogateescape")) for caffe in caffes)
            name = key(self._settings, parts)
            if stored := load(name):
                return Outcome(stored[0], tuple(failures), stored[1], checked, used)
        from caffelint.lint.project.lowered import lower

        forget()
        judge = self.judge
        judge.notes.clear()
        files = self._files(contents, failures)
        found, suppressed = judge.findings(files, job.nets, report, failures, job.siblings, modules, runs, net_runs)
        solved = frozenset(net.path for _, named in job.nets for net in named if net.path)
        found = lower(found, files, {path: self.caffes.of(path) for path in files}, solved, pages, failures)
        findings = judge.reported(found)
        for file in files.values():
            file.release()
        if name and not failures:
            store(name, findings, suppressed, looked())
        return Outcome(findings, tuple(failures), suppressed, checked, used, fingerprint(contents), tuple(judge.notes))

    def _runs(self, contents: Mapping[str, bytes], job: Job) -> Mapping[str, Runs]:
        # A solver that names no net is alone: a script may write one into it.
        nets = job.nets or [(path, ()) for path, data in contents.items() if is_solver_alone(data)]
        if not nets:
            return _NO_RUNS
        from caffelint.lint.project.solver_runs import runs_of_solvers

        return runs_of_solvers(contents, nets)

    def _used(self, path: str) -> UsedCaffe:
        taken = self.caffes.of(path)
        types = len(taken.caffe.registered.layers) if taken.caffe and taken.caffe.knows_types else None
        return UsedCaffe(taken.name, taken.why, taken.note, types, 1)

    def _read(self, path: str, failures: list[Failure]) -> bytes | None:
        if path in self.texts:
            return self.texts[path]
        try:
            return read_prototxt(path)
        except ReadError as reason:
            failures.append(Failure(path, str(reason)))
            return None

    def evidence(self, kind: str, subject: Any, files: Mapping[str, File]) -> tuple[tuple[ReportedFinding, ...], int]:
        """The findings of rules of that kind in these files or elsewhere, and how many were silenced."""
        return self.judge.evidence(kind, subject, files)
