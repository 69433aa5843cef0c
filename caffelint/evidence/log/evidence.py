"""A log as rules see it: what was read, the texts that it holds, the findings of a check of these, and its places."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caffelint.caffe.place import Place
from caffelint.evidence.log.beginning import Beginning
from caffelint.evidence.log.reader import Reader
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.suspects.ranking import suspects
from caffelint.evidence.log.suspects.suspect import Suspect
from caffelint.evidence.log.values import RATE, TEST, Line, Logged, Point, Series, Snapshot, TrainingLog
from caffelint.lint.cause import Known
from caffelint.lint.file import File, load
from caffelint.lint.finding import CERTAIN, ERROR, INFO
from caffelint.lint.report import ReportedFinding
from caffelint.lint.rule import Files
from caffelint.text.parser import Document
from caffelint.text.source import Position, Source
from caffelint.text.tree import MESSAGE, Field


class Excerpt(Source):
    """A line of a longer file: it keeps its number there."""

    def __init__(self, line: Line, path: str):
        super().__init__(line.text.encode("utf-8", "surrogateescape"), path)
        self.number = line.number

    def position(self, offset: int) -> Position:
        found = super().position(offset)
        return Position(found.line + self.number - 1, found.column)

    def line(self, number: int) -> str:
        return super().line(number - self.number + 1)


class LogEvidence:
    """log: what was read. static: what a check says of the texts that the last run printed, with lines of the log.

    solver_file: the one that it is to be held against; of a log that holds no text, the one that ran.
    """

    def __init__(self, log: TrainingLog, static: Sequence[ReportedFinding] = (), solver_file: File | None = None):
        self.log = log
        self.static = static
        self.solver_file = solver_file
        self._recovered: dict[int, Recovered] = {}
        self._beginnings: dict[int, Beginning] = {}

    @property
    def runs(self) -> list[Logged]:
        return self.log.runs

    def recovered(self, run: Logged) -> Recovered:
        if id(run) not in self._recovered:
            self._recovered[id(run)] = Recovered(run, self.solver_file)
        return self._recovered[id(run)]

    def beginning(self, run: Logged) -> Beginning:
        if id(run) not in self._beginnings:
            self._beginnings[id(run)] = Beginning(run, self.recovered(run))
        return self._beginnings[id(run)]

    def at(self, line: Line, layer: str = "") -> Place:
        """The place of a line of the log."""
        source = Excerpt(line, self.log.path)
        start = len(source.text) - len(source.text.lstrip())
        root = Field("", 0, 0, len(source.data), MESSAGE, "", [])
        return Place(Document(source, root, [], 0), start, len(source.text.rstrip()), layer)

    def solver_at(self, run: Logged, field: str, otherwise: Line) -> Place:
        """A field of the solver as the log holds it; a line of the log where it does not."""
        return self.at(self.recovered(run).solver_line(field) or otherwise)

    def suspects(self, run: Logged, effects: Sequence[str]) -> list[Suspect]:
        """What may have led to one of these effects, the likeliest first."""
        static = self.static if run is self.log.run else ()
        return suspects(run, self.recovered(run), self.beginning(run), static, effects)

    def known(self, run: Logged, layer: str = "", rules: Sequence[str] = ()) -> tuple[Known, ...]:
        """What a check of the run's own texts says of a layer, infos apart, or by these rules; for none, what it is
        certain of.
        """
        if run is not self.log.run:
            return ()
        found = []
        for one in self.static:
            wanted = one.layer == layer and one.severity != INFO if layer else one.name in rules
            if not layer and not rules:
                wanted = one.severity == ERROR and one.certainty == CERTAIN
            if wanted and not (one.name == "high-base-lr" and self.beginning(run).is_calm):
                found.append(Known(one.name, one.file, one.line, one.message))
        return tuple(found[:3])

    def sound_snapshot(self, run: Logged, before: int) -> Snapshot | None:
        """The last solver state, else model, that was written before an iteration."""
        found = [one for one in run.snapshots if one.iteration < before]
        states = [one for one in found if one.is_state]
        return states[-1] if states else found[-1] if found else None

    def scheduled(self, run: Logged, iteration: int) -> float | None:
        """The rate that the solver's schedule gives; None where it is not known."""
        found = self.recovered(run).schedule
        rate = found.rate(iteration) if found else None
        return rate if rate is not None and math.isfinite(rate) else None

    def bad_first(self, run: Logged) -> tuple[Series, Point] | None:
        """The number that was nan, infinite or too large first, and its series: an output rather than their sum."""
        found = [(one, one.bad) for one in run.series.values() if one.bad is not None and not _is_before_training(one)]
        found = [(one, bad) for one, bad in found if one.name != RATE or not math.isfinite(bad.value)]
        if not found:
            return None
        first = min(point.iteration for _, point in found)
        soon = [(series, point) for series, point in found if point.iteration == first]
        return min(soon, key=lambda pair: (pair[0].name == "", pair[0].phase == "test", pair[1].line.number))


def _is_before_training(series: Series) -> bool:
    """Was only the test before any training bad? BatchNorm has no statistics then."""
    later = [point for point in series.points if point.iteration]
    bad = series.bad is not None and not series.bad.iteration and series.phase == TEST
    return bad and bool(later) and all(math.isfinite(point.value) for point in later)


def evidence_of(files: Files) -> LogEvidence:
    """From the example of a rule: its first text is the log; another one the solver that it is held against."""
    (path, text), *others = files.items()
    reader = Reader(path)
    reader.feed(text.encode("utf-8", "surrogateescape"))
    solvers = [load(other.encode(), name, kind="solver") for name, other in others]
    return LogEvidence(reader.end(), solver_file=solvers[0] if solvers else None)
