"""The open texts, and what caffelint makes of them: findings, and files joined with the solvers and nets around."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from lsprotocol.types import PositionEncodingKind
from pygls.uris import from_fs_path, to_fs_path

from caffelint.caffe.net import Net
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config, ConfigError, load_config
from caffelint.lint.discover import wanted
from caffelint.lint.engine import report
from caffelint.lint.file import File
from caffelint.lint.plan import Job, plan
from caffelint.lint.project.memory import forget
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import ReportedFinding
from caffelint.lint.role import mentions_a_net
from caffelint.lsp.positions import Lines

_LARGEST = 4 << 20
_LONGEST_PATH = 4096
"""Bytes of a text; what is larger, and so no net that a person wrote, is left alone."""


class Open(NamedTuple):
    """A text that an editor has open, under the URI that it gave."""

    uri: str
    version: int | None
    data: bytes


class Checked(NamedTuple):
    """The findings of files that are judged together, by real path; each of these files is there."""

    findings: Mapping[str, tuple[ReportedFinding, ...]]
    failures: tuple[str, ...] = ()


class View:
    """An open file as its text is now, joined with its solvers and nets; `files` are all of these by real path."""

    def __init__(self, path: str, files: Mapping[str, File], lines: Lines, config: Config, checker: Checker):
        self.path = path
        self.files = files
        self.lines = lines
        self.config = config
        self.checker = checker

    @property
    def file(self) -> File:
        return self.files[self.path]

    @property
    def text(self) -> str:
        """The text, one character a byte, as offsets count."""
        return self.file.document.source.text

    @property
    def nets(self) -> list[Net]:
        """The net of the file, or those written in its solver."""
        return self.file.nets


class _Texts(Mapping[str, bytes]):
    """The open texts by whatever name leads to the file."""

    def __init__(self, opened: Mapping[str, Open]):
        self._opened = opened

    def __getitem__(self, path: str) -> bytes:
        return self._opened[real(path)].data

    def __iter__(self) -> Iterator[str]:
        return iter(self._opened)

    def __len__(self) -> int:
        return len(self._opened)


class Documents:
    """Opened, changed and closed by the editor; what is derived is made when asked for, and kept until a change.

    `opened` holds the texts by the real path of their files, `complaints` what is wrong with settings.
    """

    def __init__(self, config_file: Path | None = None, isolated: bool = False) -> None:
        self._config_file = config_file.absolute() if config_file else None
        self._isolated = isolated
        self.opened: dict[str, Open] = {}
        self.texts: Mapping[str, bytes] = _Texts(self.opened)
        self.takes_document_changes = False
        self.encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16
        self.complaints: list[str] = []
        self._checkers: dict[str, Checker] = {}
        self._jobs: dict[str, Job] = {}
        """What goes with each file; an edit of a net changes nothing of that."""
        self._views: dict[str, View | None] = {}
        self._lines: dict[str, Lines | None] = {}
        self._checked: dict[str, Checked] = {}

    def put(self, uri: str, version: int | None, text: str) -> str:
        """A text was opened or changed; its path."""
        path = path_of(uri)
        before, data = self.opened.get(path), text.encode("utf-8", "replace")
        self.opened[path] = Open(uri, version, data)
        self._forget()
        if before is None or mentions_a_net(before.data) or mentions_a_net(data):
            self._jobs.clear()
        return path

    def close(self, uri: str) -> str:
        path = path_of(uri)
        self.opened.pop(path, None)
        self._jobs.clear()
        self._forget()
        return path

    def files_changed(self) -> None:
        """Files on disk were changed, perhaps settings."""
        self._checkers.clear()
        self._jobs.clear()
        self._forget()
        forget()

    def uri(self, path: str) -> str:
        """The URI of a file, as the editor gave it for one that it has open."""
        path = real(path)
        return self.opened[path].uri if path in self.opened else from_fs_path(path) or ""

    def lines(self, path: str) -> Lines | None:
        """The lines of an open text, or of a file; None for one that cannot be read."""
        path = real(path)
        if path not in self._lines:
            self._lines[path] = self._lines_of(path)
        return self._lines[path]

    def _lines_of(self, path: str) -> Lines | None:
        if path in self.opened:
            return Lines(self.opened[path].data, self.encoding)
        try:
            return Lines(read(path, _LARGEST), self.encoding)
        except ReadError:
            return None

    def view(self, uri: str) -> View | None:
        """What is open under a URI; None where it is not open, left alone, or of no kind that caffelint knows."""
        path = path_of(uri)
        if path not in self._views:
            self._views[path] = self._view(path)
        return self._views[path]

    def check(self, path: str) -> Checked:
        """The findings of an open file, and of those that are judged with it."""
        path = real(path)
        if path not in self._checked:
            self._checked[path] = self._check(path)
        return self._checked[path]

    def _check(self, path: str) -> Checked:
        if self._is_left_alone(path):
            return Checked({path: ()})
        checker = self.checker(path)
        job = self.job(path)
        outcome = checker.job(job)
        found: dict[str, list[ReportedFinding]] = {real(file): [] for file in job.report}
        for finding in report([outcome], checker.config).findings:
            found.setdefault(real(finding.file), []).append(finding)
        failures = tuple(f"{failure.file}: {failure.message}" for failure in outcome.failures)
        return Checked({file: tuple(findings) for file, findings in found.items()}, failures)

    def _view(self, path: str) -> View | None:
        if path not in self.opened or self._is_left_alone(path):
            return None
        checker = self.checker(path)
        files = {real(name): file for name, file in checker.joined(self.job(path)).items()}
        return View(path, files, Lines(self.opened[path].data, self.encoding), checker.config, checker)

    def _is_left_alone(self, path: str) -> bool:
        return len(self.opened[path].data) > _LARGEST or wanted(self.checker(path).config).excludes(path)

    def job(self, path: str) -> Job:
        """What is judged with a file: solvers that are open may name it, wherever they are."""
        if path not in self._jobs:
            solvers = [other for other, one in self.opened.items() if other != path and mentions_a_net(one.data)]
            jobs = plan([path, *solvers], self.checker(path).config.roots, None, self.texts)
            self._jobs[path] = next(job for job in jobs if path in map(real, job.files))
        return self._jobs[path]

    def checker(self, path: str) -> Checker:
        """With the settings of the file's folder, as `caffelint check` reads them."""
        folder = os.path.dirname(path)
        if folder not in self._checkers:
            self._checkers[folder] = Checker(self._settings(folder))
            self._checkers[folder].texts = self.texts
        return self._checkers[folder]

    def _settings(self, folder: str) -> Config:
        start = next(place for place in (Path(folder), *Path(folder).parents) if place.is_dir())
        try:
            config = load_config(start, self._config_file, isolated=self._isolated)
        except ConfigError as error:
            self.complaints.append(f"{error}; without it, the defaults hold")
            return Config()
        self.complaints += (line for name, line in config.skipped.items() if name != "caffe_python")
        return config

    def _forget(self) -> None:
        for view in self._views.values():
            for file in view.files.values() if view else ():
                file.release()
        self._views.clear()
        self._lines.clear()
        self._checked.clear()


def fs_path(uri: str) -> str | None:
    """The path that a URI names; None where it names none, or is no URI."""
    try:
        return to_fs_path(uri)
    except ValueError:  # "Invalid IPv6 URL"
        return None


def path_of(uri: str) -> str:
    """The real path of a URI; of a text that is not in a file, one of the working directory that nothing has."""
    path = fs_path(uri)
    if path and "\0" not in path and len(path) <= _LONGEST_PATH:
        return real(path)
    return os.path.join(os.getcwd(), "untitled " + uri[:_LONGEST_PATH].replace("/", "_").replace("\0", "_"))


def real(path: str) -> str:
    return os.path.realpath(path)
