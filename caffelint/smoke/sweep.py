"""Many short runs: each solver of a grid with each of its rates and seeds. What is stored is not run again."""

from __future__ import annotations

import errno
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from caffelint import __version__
from caffelint.lint.finding import CERTAIN, ERROR
from caffelint.lint.ignored import checkout_of
from caffelint.lint.read import ReadError, read
from caffelint.lint.settings_text import ConfigError, toml
from caffelint.smoke.engines import NoEngine
from caffelint.smoke.grid_paths import Paths, TooMany, is_glob
from caffelint.smoke.inputs import Unplanned
from caffelint.smoke.project import NoProject, load_project
from caffelint.smoke.session import OFF, Request, Session, Watcher, module_of
from caffelint.smoke.train import smoke
from caffelint.smoke.verdict import verdict
from caffelint.text.visible import visible

_LARGEST = 1 << 20
_MOST_RUNS = 100_000
_LONGEST_GLOB, _MOST_GLOBS = 4096, 1000
_FIELDS = ("solvers", "base_lr", "seeds")


class BadGrid(Exception):
    """Why there is nothing to sweep over: one line."""


class Trial(NamedTuple):
    """One run of a sweep. base_lr: None for the solver's own."""

    solver: str
    base_lr: float | None
    seed: int


class Row(NamedTuple):
    """What came of a trial: plain values, one line of the file of results.

    first, last: the losses, None where there is none or it is not finite. outcome: a few words. status: as of the
    command for this run alone. key: differs where the trial, its files, or what was asked for does.
    """

    solver: str
    base_lr: float | None
    seed: int
    engine: str
    iterations: int
    first: float | None
    last: float | None
    outcome: str
    verdict: str
    status: int
    key: str = ""


def read_grid(path: Path, solver: str | None, seed: int) -> list[Trial]:
    """The trials of a grid: TOML with the lists `solvers` (globs, from the folder of the grid), `base_lr` and `seeds`.

    A list that is left out is `solver`, the solver's own rate, `seed`. Raises `BadGrid`.
    """
    try:
        values = toml(path, read(str(path), _LARGEST).decode())
    except (ReadError, UnicodeDecodeError) as error:
        raise BadGrid(f"{path}: {error}") from error
    except ConfigError as error:
        raise BadGrid(str(error)) from error
    if unknown := sorted(values.keys() - set(_FIELDS)):
        raise BadGrid(f'{path}: "{unknown[0]}" is not known; it takes {", ".join(_FIELDS)}')
    solvers = _values(path, values, "solvers", str, [] if solver is None else [solver])
    rates = _values(path, values, "base_lr", (int, float), [None])
    seeds = _values(path, values, "seeds", int, [seed])
    if any(not 0 < rate <= sys.float_info.max for rate in rates if rate is not None):
        raise BadGrid(f"{path}: each base_lr has to be a number above 0")
    if any(not 0 <= one < 2**31 for one in seeds):
        raise BadGrid(f"{path}: each of the seeds has to be a whole number from 0 to {2**31 - 1}")
    if sum(map(is_glob, solvers)) > _MOST_GLOBS:
        raise BadGrid(f"{path}: these are more than {_MOST_GLOBS} globs of solvers")
    found: list[str] = []
    paths, folder = Paths(), str(path.parent) if "solvers" in values else ""
    for pattern in solvers:
        if len(pattern) > _LONGEST_GLOB:
            raise BadGrid(f"{path}: a path in solvers is longer than {_LONGEST_GLOB} characters")
        wildcard = next((at for at, char in enumerate(pattern) if char in "*?["), len(pattern))
        if ".." in pattern[wildcard:].split("/"):  # each folder is found as often as there are others beside it
            raise BadGrid(f'{path}: "{pattern}" goes up with ".." after a wildcard; name the folder itself')
        try:
            matches = paths.matching(pattern, folder) if is_glob(pattern) else [os.path.join(folder, pattern)]
        except TooMany:
            raise BadGrid(f'{path}: "{pattern}" looks through too many files; name their folder') from None
        if not matches:
            raise BadGrid(f'{path}: no file matches "{pattern}"')
        found += map(os.path.normpath, matches)
    if not found:
        raise BadGrid(f"{path}: no solver is named; write solvers = [...], or give a SOLVER as well")
    if len(found) * len(rates) * len(seeds) > _MOST_RUNS:
        raise BadGrid(f"{path}: these are more than {_MOST_RUNS} runs")
    return [*dict.fromkeys(Trial(one, rate, seed) for one in found for rate in rates for seed in seeds)]


def _values(path: Path, values: Mapping[str, Any], name: str, kind: Any, otherwise: list[Any]) -> list[Any]:
    if name not in values:
        return otherwise
    found = values[name]
    if not isinstance(found, list) or any(not isinstance(one, kind) or isinstance(one, bool) for one in found):
        raise BadGrid(f"{path}: {name} is not a list of {'paths' if kind is str else 'numbers'}")
    if not found:
        raise BadGrid(f"{path}: {name} is empty")
    return found


class Known(NamedTuple):
    """A solver with its nets, as they are now. texts: what tells them from others; modules: of its Python layers."""

    texts: bytes
    modules: tuple[str, ...] = ()


def known(solver: str, request: Request) -> Known:
    """Read the files of a solver; one that cannot be read is told by why."""
    try:
        project = load_project(solver, request.config, request.input_shapes)
    except NoProject as error:
        return Known(str(error).encode())
    texts = [(path, sha256(file.document.source.data).hexdigest()) for path, file in project.files.items()]
    layers = (layer for use in project.solver.nets for layer in use.net.layers if layer.type == "Python")
    return Known(repr(texts).encode(), tuple(dict.fromkeys(map(module_of, layers))))


def key(trial: Trial, of: Known, request: Request) -> str:
    """What tells the result of a trial from others: the texts of its files, its rate and seed, and the options."""
    asked = replace(request.wishes, seed=0, base_lr=None)
    options = __version__, asked, request.choice._replace(gpu=None), request.force, sorted(request.input_shapes.items())
    return sha256(repr((trial, options)).encode() + of.texts).hexdigest()[:20]


_BEGINS = f'{{"{Row._fields[0]}":'.encode()
"""As a row does, also one that was cut."""


class Results:
    """A file of rows, one JSON object a line. Each row is written when it is known; a line that was cut is no row.

    Raises `BadGrid` for what cannot be read, for something else, and for a link, which is not written through.
    """

    def __init__(self, path: Path):
        self.path = path
        self.rows: dict[str, Row] = {}
        self._ends = True
        if path.is_symlink():
            raise BadGrid(f"{path}: is a link, and results are not written through one; remove it")
        if path.exists():
            try:
                data = read(str(path))
            except ReadError as error:
                raise BadGrid(f"{path}: {error}") from error
            if data[:1] not in (b"", b"{"):
                raise BadGrid(f"{path}: holds no results; remove it, or name the grid otherwise")
            self._ends = data[-1:] in (b"", b"\n")
            for row in filter(None, map(_row_in, data.splitlines())):
                self.rows[row.key] = row
            if data and not self.rows and not data.startswith(_BEGINS):
                raise BadGrid(f"{path}: holds no results; remove it, or name the grid otherwise")
            if os.stat(path).st_nlink > 1:
                raise BadGrid(f"{path}: has another name elsewhere, and results are not written there; remove it")
            checkout = None if data else checkout_of(str(path.resolve().parent))
            if checkout and checkout.may_track(os.path.relpath(path.resolve(), checkout.top).replace(os.sep, "/")):
                raise BadGrid(f"{path}: git tracks this empty file, or may track it; remove it first")

    def add(self, row: Row) -> None:
        """Raises `OSError`."""
        line = ("" if self._ends else "\n") + json.dumps(row._asdict()) + "\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(self.path, flags, 0o666), "wb", buffering=0) as file:
            before = os.fstat(file.fileno()).st_size
            try:
                if file.write(line.encode()) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError as error:
                file.truncate(before)
                if not before:
                    os.unlink(self.path)
                error.filename = str(self.path)
                raise
        self._ends = True
        self.rows[row.key] = row


def _row_in(line: bytes) -> Row | None:
    try:
        row: Any = Row(**json.loads(line))
    except (RecursionError, TypeError, ValueError):
        return None
    texts = row.solver, row.engine, row.outcome, row.verdict, row.key
    numbers = [value for value in (row.base_lr, row.first, row.last) if value is not None]
    sound = (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(number, int | float) and abs(number) <= sys.float_info.max for number in numbers)
        and all(isinstance(number, int) for number in (row.seed, row.iterations))
        and row.status in (0, 1)
    )
    return row if sound else None


_request: Request | None = None


def start(request: Request, devices: tuple[str, ...]) -> None:
    """In each process: what all trials have in common. It takes one of the `devices`, if there are any."""
    global _request
    from multiprocessing import current_process

    config = request.config
    config.jobs = 1
    if devices:
        number = int("".join(filter(str.isdecimal, current_process().name)) or 0)
        request = request._replace(choice=request.choice._replace(device=devices[number % len(devices)]))
    _request = request


def try_one(trial: Trial) -> Row:
    """The result of a trial, in a process that has started."""
    assert _request is not None
    wishes = replace(_request.wishes, base_lr=trial.base_lr, seed=trial.seed)
    request = _request._replace(path=trial.solver, wishes=wishes, diagnose=OFF)
    try:
        session = smoke(request, Watcher())
    except (NoEngine, NoProject, Unplanned) as error:
        return Row(*trial, "", 0, None, None, "not run", str(error), 2)
    return _row(trial, session, request.config.fail_on)


def lost(trial: Trial) -> Row:
    """The result of a trial that ended each process that tried it."""
    return Row(*trial, "", 0, None, None, "not run", "it ended each process, perhaps for lack of memory", 3)


def _row(trial: Trial, session: Session, fail_on: str) -> Row:
    run, engine, report = session.run, session.engine, session.report
    status = report.exit_status(fail_on)
    if run is None or engine is None:
        sure = [one for one in report.findings if (one.severity, one.certainty) == (ERROR, CERTAIN)]
        said = "; ".join(f"{one.name} at {one.file}:{one.line}" for one in sure)
        return Row(*trial, "", 0, None, None, "not run", f"a check says that it cannot work: {said}", status)
    said = verdict(run, report.findings)
    losses = [event.loss for event in run.iterations]
    first, last = (losses[0], losses[-1]) if losses else (math.nan, math.nan)
    name = engine.name if engine.device == "cpu" else f"{engine.name} on a GPU"
    outcome = said.partition(":")[0] or "it ended early"
    return Row(*trial, name, len(losses), _finite(first), _finite(last), outcome, said, status)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Lines, harmless on a terminal: each run, and the best of those that end finite and not as an error."""
    rows = [row._replace(solver=visible(row.solver), outcome=visible(row.outcome)) for row in rows]
    width = max(len(row.solver) for row in rows)
    yield f"{'solver':<{width}}  {'base_lr':>9}  {'seed':>6}  {'iterations':>10}  {'loss':>22}  outcome"
    for row in rows:
        rate = "its own" if row.base_lr is None else f"{row.base_lr:g}"
        loss = "-" if row.first is None else f"{row.first:.5g} to {'-' if row.last is None else f'{row.last:.5g}'}"
        yield f"{row.solver:<{width}}  {rate:>9}  {row.seed:>6}  {row.iterations:>10}  {loss:>22}  {row.outcome}"
    sound = [row for row in rows if row.last is not None and not row.status]
    if sound:
        best = min(sound, key=lambda row: (row.last, row.seed))
        rate = "its own rate" if best.base_lr is None else f"base_lr {best.base_lr:g}"
        yield ""
        yield f"lowest loss: {best.solver} at {rate}, seed {best.seed}: {best.last:.5g}"
