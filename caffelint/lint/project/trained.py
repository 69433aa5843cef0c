"""What shows that a net was trained and worked: logs, snapshots that texts name, results on the project's pages."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from caffelint.lint.discover import relative
from caffelint.lint.project.texts import Text, Texts
from caffelint.lint.read import ReadError, opened, read
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_PREFIX = compiled_later(rb"^[^#\n]*\bsnapshot_prefix\s*:\s*[\"']([^\"'\n]{1,300})", re.M)
_TYPE = compiled_later(rb"^[ \t]*type\s*:\s*[\"']([^\"'\n]{1,300})", re.M)
_NET_OF_LOG = compiled_later(
    rb"(?:net file: |^[ \t]*(?:train_)?net: \"|snapshot_prefix: \")([^\"\n]{1,300}?)\"?[ \t\r]*$", re.M
)
_NUMBER = compiled_later(
    rb"^(base_lr|stepsize|gamma|power|momentum|weight_decay|iter_size)[ \t]*:[ \t]*([-+\w.]{1,30})[ \t\r]*(?:#|$)",
    re.M,
)
_MOST_NUMBERS = 100
_LOSS = compiled_later(rb"Iteration (\d{1,9})\b[^\n]{0,120}?loss = ([-+\w.]{1,30})")
_BUILT = rb"Solver scaffolding done"
"""solver.cpp, Init: what a log shows once Caffe has taken the solver and built its nets."""
_STUCK = 87.3365
"""The loss of a softmax whose probabilities are 0: -log(FLT_MIN)."""
_ITERATIONS, _FALLS = 100, 0.9
"""From so many iterations on, and a loss that came down to such a part, a run is taken for one that trained."""
_SIZE, _SET_UP = 1 << 16, 1 << 20
"""Bytes of a log's end that are read, and of its beginning, which shows the net and its set-up before the losses."""
_MOST_LOGS = 60
_MOST_SNAPSHOTS = 1000
"""Different ones that are named; each is held against each solver."""
_RESULTS = compiled_later(
    r"(?i)^[^\n]*\b(?:accuracy|precision|recall|m?AP|m?IoU|AUC|PSNR|SSIM|F1|top-?[15]|rank-?1|err(?:or)?@?(?: rate)?"
    r"|MAE|dice|score)\d?\b(?:[^\n]{0,120}?|[^\n]{0,200}\n[-:| ]{3,300}\n[^\n]{0,200}?)"
    r"(?<![\w.])(?:\d{1,2}\.\d{1,4}|\d{2,3} ?%|0?\.\d{2,4})",
    re.M,
)
"""A measure and a figure on a line, or in the head and the first line of a table."""
_GIST = compiled_later(r"^caffemodel(?:_url)?:[ \t]*\S", re.M)
_FEW = 3
"""Of so many trained nets at most, the results on the page of a project are taken for those of each."""
_LARGEST = 1 << 22


class Ran(NamedTuple):
    """That a net was trained, in words.

    `shown`: a log shows it, so that a Caffe took the file as it is. `is_weak`: its snapshots are used, whether or not
    it has learned.
    """

    how: str
    shown: bool = False
    is_weak: bool = False


class _Log(NamedTuple):
    path: str
    names: tuple[tuple[str, ...], ...]
    """What it names, the parts of each path from the last one to the first."""
    iterations: int
    loss: float
    settings: tuple[tuple[str, float], ...]
    """The numbers of the solver that it prints, by field."""


class _Built(NamedTuple):
    """A log of which Caffe has built the nets; `names` as of any log, and the types of solvers that it prints."""

    path: str
    names: tuple[tuple[str, ...], ...]
    types: frozenset[str]


class Trained:
    """What a project shows of the runs of its nets. `trained_nets`: how many of them its solvers name."""

    def __init__(self, texts: Texts, trained_nets: int):
        self._texts = texts
        self._nets = trained_nets
        self._prefixes: dict[str, str] = {}
        self._by_path: dict[str, str] = {}

    def of(self, net: str, solvers: Sequence[str]) -> Ran | None:
        """Of a net and the solvers that name it, by absolute paths."""
        return self._by_log(net, solvers) or self._by_page(net, solvers) or self._by_snapshot(solvers)

    def of_solver(self, net: str, solver: str) -> Ran | None:
        """Of a solver, whose net may be missing: a log with other numbers than its is of another one."""
        ran = self._by_log(net, [solver], _numbers(_text(solver)))
        return ran or self._by_page(net, [solver]) or self._by_snapshot([solver])

    def takes_type(self, net: str, solver: str) -> str:
        """Where a log shows that a Caffe has built a net by a solver of its type; empty if none does."""
        wanted, type_ = self._wanted(net, [solver]), _found(_TYPE, solver)
        for log in self._built:
            near = os.path.dirname(net) == os.path.dirname(log.path)
            if type_ in log.types and any(are_one(given, one, near) for given in log.names for one in wanted):
                return f"{relative(log.path)} shows that a Caffe took it"
        return ""

    def _wanted(self, net: str, solvers: Sequence[str]) -> list[tuple[str, ...]]:
        return [path_parts(net), *(path_parts(prefix) for solver in solvers if (prefix := self._prefix(solver)))]

    def _by_log(self, net: str, solvers: Sequence[str], numbers: Iterable[tuple[str, float]] = ()) -> Ran | None:
        wanted, given = self._wanted(net, solvers), dict(numbers)
        for log in self._logs:
            if not all(math.isclose(given.get(field, value), value, rel_tol=1e-5) for field, value in log.settings):
                continue
            near = os.path.dirname(net) == os.path.dirname(log.path)
            if any(are_one(name, one, near) for name in log.names for one in wanted):
                where = relative(log.path)
                return Ran(f"{where} shows {log.iterations} iterations of it, to a loss of {log.loss:.3g}", True)
        return None

    def _by_snapshot(self, solvers: Sequence[str]) -> Ran | None:
        for solver in solvers:
            if (prefix := self._prefix(solver)) and (parts := path_parts(prefix)) and len(parts[0]) > 1:
                for name, where in self._snapshots:
                    if are_one(name, parts):
                        return Ran(f"its snapshots are in use: {where}", is_weak=True)
        return None

    @cached_property
    def _snapshots(self) -> list[tuple[tuple[str, ...], str]]:
        """The snapshots that are named, as the parts of their paths, each with where it first is."""
        found: dict[tuple[str, ...], str] = {}
        for name, where in self._texts.snapshots:
            if len(found) < _MOST_SNAPSHOTS:
                found.setdefault(path_parts(name), where)
        return list(found.items())

    def _by_page(self, net: str, solvers: Sequence[str]) -> Ran | None:
        folder = os.path.dirname(net)
        name = "/".join(os.path.relpath(folder, self._texts.top).split(os.sep)[-2:])
        for page in self._texts.pages:
            # A page may name a folder below the top, by the end of its path.
            is_own = page.folder == folder or "/" in name and name in page.text
            is_of_all = page.folder == self._texts.top and bool(solvers) and self._nets <= _FEW
            if (is_own or is_of_all) and (where := self._results(page)):
                return Ran(f"{where} gives results")
        return None

    def _results(self, page: Text) -> str:
        """Where a page gives results; empty if it does not."""
        if page.path not in self._by_path:
            found = _GIST.search(page.text) or _RESULTS.search(page.text)
            self._by_path[page.path] = page.line(found.start()) if found else ""
        return self._by_path[page.path]

    def _prefix(self, solver: str) -> str:
        if solver not in self._prefixes:
            self._prefixes[solver] = snapshot_prefix(solver)
        return self._prefixes[solver]

    @cached_property
    def _logs(self) -> list[_Log]:
        return [log for path in self._texts.logs[:_MOST_LOGS] if (log := _read(path))]

    @cached_property
    def _built(self) -> list[_Built]:
        """The logs of which Caffe has built the nets."""
        ends = ((path, _ends(path)) for path in self._texts.logs[:_MOST_LOGS])
        return [_Built(path, _named(data), _types(data)) for path, data in ends if _BUILT in data]


def snapshot_prefix(solver: str) -> str:
    return _found(_PREFIX, solver)


def _found(pattern: re.Pattern[bytes], path: str) -> str:
    """The first group of what is found in a file; empty if nothing is."""
    found = pattern.search(_text(path))
    return found[1].decode("utf-8", "replace") if found else ""


def _text(path: str) -> bytes:
    try:
        return read(path, _LARGEST)
    except ReadError:
        return b""


def _numbers(data: bytes) -> Iterator[tuple[str, float]]:
    """The numbers of a solver, in its text or as a log prints it first, by field."""
    found: dict[bytes, bytes] = {}
    for field, value in islice(_NUMBER.findall(data), _MOST_NUMBERS):
        found.setdefault(field, value)
    for field, value in found.items():
        try:
            yield field.decode(), float(value)
        except ValueError:
            continue


def path_parts(path: str) -> tuple[str, ...]:
    parts = [part for part in path.replace("\\", "/").split("/") if part not in (".", "..", "~")]
    while parts and not parts[0]:
        parts.pop(0)
    return tuple(reversed(parts)) if parts and parts[-1] else ()


def are_one(given: tuple[str, ...], wanted: tuple[str, ...], near: bool = False) -> bool:
    """Whether two paths are of one file as far up as both are known; `near`: the name alone will do."""
    if not given or not wanted:
        return False
    return given[0] == wanted[0] and (near or all(a == b for a, b in zip(given, wanted, strict=False)))


def _read(path: str) -> _Log | None:
    """A log of a run that trained, else None."""
    data = _ends(path)
    losses = list(_losses(data))
    if not losses or losses[-1][0] < _ITERATIONS:
        return None
    (_, first), (last, loss) = losses[0], losses[-1]
    if not math.isfinite(loss) or abs(loss - _STUCK) < 0.01 or not loss < first * _FALLS:
        return None
    return _Log(path, _named(data), last, loss, tuple(_numbers(data)))


def _named(data: bytes) -> tuple[tuple[str, ...], ...]:
    names = dict.fromkeys(path_parts(name.decode("utf-8", "replace")) for name in _NET_OF_LOG.findall(data))
    return tuple(filter(None, names))


def _types(data: bytes) -> frozenset[str]:
    return frozenset(name.decode("utf-8", "replace") for name in _TYPE.findall(data))


def _losses(data: bytes) -> Iterator[tuple[int, float]]:
    for iteration, loss in _LOSS.findall(data):
        try:
            yield int(iteration), float(loss)
        except ValueError:
            continue


def _ends(path: str) -> bytes:
    """The first and the last bytes of a file."""
    try:
        with opened(path) as stream:
            first = stream.read(_SET_UP)
            size = os.fstat(stream.fileno()).st_size
            if size > _SET_UP + _SIZE:
                stream.seek(-_SIZE, os.SEEK_END)
            return first + b"\n" + stream.read(_SIZE)
    except (OSError, ReadError, ValueError):
        return b""
