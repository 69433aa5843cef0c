"""The outcome of a check: plain values that can be printed, stored, and sent between processes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from caffelint.lint.cause import ReportedCause
from caffelint.lint.finding import ERROR, INFO, SAFE, UNSAFE, WARNING, Finding, Fix, rank
from caffelint.lint.packed import by_file, gathered, those
from caffelint.lint.site import rule_page
from caffelint.text.encodings import is_binary
from caffelint.text.records import NamedTuple

_OF_ANY_BYTES = "syntax-error"
"""A rule that also reports what is no text, and has no line worth showing."""


class ReportedRelated(NamedTuple):
    """Another place that belongs to a finding; 1-based line and column."""

    message: str
    file: str
    line: int
    column: int


class ReportedFinding(NamedTuple):
    """A finding with its place as a person reads it.

    `line`, `column` and their ends are 1-based code points, end exclusive, None where a finding has no place in the
    text. `source` holds the lines from `line` to `end_line`, three at most. Paths are those of the system, here and in
    all that a report holds. `others` are the key and the line of each further layer that it names. `dialects` are
    those for which it would not be reported, the best known first.
    """

    code: str
    name: str
    severity: str
    certainty: str
    message: str
    evidence: str
    file: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    phases: tuple[str, ...]
    layer: str
    field: str
    key: str
    url: str
    related: tuple[ReportedRelated, ...] = ()
    fixes: tuple[Fix, ...] = ()
    source: tuple[str, ...] = ()
    cause: ReportedCause | None = None
    others: tuple[tuple[str, int], ...] = ()
    dialects: tuple[str, ...] = ()

    def because(self, why: str, severity: str = "") -> ReportedFinding:
        """The finding with one more reason, of another severity if one is given."""
        evidence = "; ".join(filter(None, [self.evidence, why]))
        return self._replace(severity=severity or self.severity, evidence=evidence)

    @property
    def keys(self) -> tuple[str, ...]:
        """Its key, and those of the further layers that it names."""
        return self.key, *(key for key, _ in self.others)

    @property
    def identity(self) -> tuple[str, ...]:
        """What distinguishes it from others, even when lines have moved."""
        return self.name, self.file, self.layer, self.message

    def fix(self, unsafe: bool = False) -> Fix | None:
        """The first fix that may be applied, with `unsafe` also one that may change what is trained."""
        allowed = (SAFE, UNSAFE) if unsafe else (SAFE,)
        return next((fix for fix in self.fixes if fix.safety in allowed and fix.edits), None)


class Applied(NamedTuple):
    """A fix that was made: the file and line (1-based, None for none) of the finding, rule and message, and the fix.

    Fixes are made in rounds; the line is that of the text which a round began with.
    """

    file: str
    code: str
    name: str
    message: str
    title: str
    safety: str
    line: int | None = None


class UsedCaffe(NamedTuple):
    """The Caffe that files were held against: the path of its caffe.proto or the name of a fork, and why that one.

    layer_types: how many it registers, None if that is not known. note: why none was taken; `name` is empty then.
    """

    name: str
    why: str
    note: str = ""
    layer_types: int | None = None
    files: int = 0


class Failure(NamedTuple):
    """A file not checked, or not written: that cannot be done (`internal` False), or caffelint itself failed."""

    file: str
    message: str
    internal: bool = False


class Unwritten(Failure):
    """A file that was checked, and could not be written."""

    __slots__ = ()


def own_failure(path: str, error: Exception) -> Failure:
    """A defect of caffelint itself, with the place in its code that a report should name."""
    if isinstance(error, FileNotFoundError) and error.filename is None:  # as os.getcwd raises it
        return Failure(path, "the working directory is gone")
    if isinstance(error, MemoryError):
        return Failure(path, "not enough memory", True)
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    where = f" in {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    said = " ".join(str(error).split())
    return Failure(path, f"caffelint failed{where}: {type(error).__name__}: {said}; please report it", True)


class Report(NamedTuple):
    """All findings of a run, in the order of file and line. It never changes: `_replace` makes another.

    `smoke`: what came of a smoke run, as the JSON contract has it; else empty. `evidence`: what logs, data sets or
    weights hold, likewise. `lookalikes`: files that look like nets or solvers and were not checked for their names.
    `caffes`: those that repositories or settings name. `tried`: where fixes were made, of which safety; `left`: how
    many findings keep a fix of such safety, by the reason why it was not made. `notes`: on data that cannot be read.
    """

    findings: Sequence[ReportedFinding] = ()
    files: int = 0
    failures: tuple[Failure, ...] = ()
    suppressed: int = 0
    baselined: int = 0
    applied: tuple[Applied, ...] = ()
    smoke: Mapping[str, Any] = {}
    evidence: Mapping[str, Any] = {}
    lookalikes: tuple[str, ...] = ()
    caffes: tuple[UsedCaffe, ...] = ()
    tried: tuple[str, ...] = ()
    left: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()

    @property
    def fixed(self) -> int:
        return len(self.applied)

    def fixable(self, least: str = INFO) -> tuple[int, int]:
        """How many findings from `least` on have a safe fix, and how many others one that is unsafe."""
        findings = (finding for finding in self.findings if finding.fixes and rank(finding.severity) >= rank(least))
        found = Counter(finding.fix() is not None for finding in findings if finding.fix(unsafe=True))
        return found[True], found[False]

    def only(self, severities: Collection[str]) -> Report:
        """The report with the findings of these severities alone."""
        return self._replace(findings=those(self.findings, lambda finding: finding.severity in severities))

    def counts(self) -> Counter[str]:
        """How many findings there are of each severity."""
        return Counter(finding.severity for finding in self.findings)

    def count(self, severity: str) -> int:
        return self.counts()[severity]

    def exit_status(self, fail_on: str = ERROR, max_warnings: int = -1) -> int:
        """0 nothing at or above `fail_on`, 1 findings, 2 an unreadable path, 3 caffelint's own failure.

        More warnings than `max_warnings` are findings, too, unless it is below 0.
        """
        if any(failure.internal for failure in self.failures):
            return 3
        if self.failures:
            return 2
        if 0 <= max_warnings < self.count(WARNING):
            return 1
        limit = rank(fail_on)
        return int(bool(limit) and any(rank(finding.severity) >= limit for finding in self.findings))


def in_order(findings: Iterable[ReportedFinding]) -> tuple[ReportedFinding, ...]:
    """Findings in the order of a report."""
    return tuple(sorted(findings, key=lambda f: (f.file, f.line or 0, f.column or 0, f.code, f.message)))


def in_order_of(groups: Iterable[Iterable[ReportedFinding]]) -> Sequence[ReportedFinding]:
    """The same, of groups that come one by one; no file has findings in two of them."""
    found = gathered(chain.from_iterable(map(in_order, groups)))
    return in_order(found) if isinstance(found, tuple) else by_file(found)


def reported(finding: Finding) -> ReportedFinding:
    """A finding in plain values."""
    place = finding.place
    source = place.document.source
    first = source.position(place.start)
    last = source.position(place.end)
    last_shown = min(last.line, first.line + 2)
    lines = source.has_lines
    shown = lines and not (finding.name == _OF_ANY_BYTES and place.end <= 1 and is_binary(source.data))
    return ReportedFinding(
        finding.code,
        finding.name,
        finding.severity,
        finding.certainty,
        finding.message,
        finding.evidence,
        place.document.path,
        first.line if lines else None,
        first.column if lines else None,
        last.line if lines else None,
        last.column if lines else None,
        finding.phases,
        place.layer,
        place.field,
        finding.key,
        rule_page(finding.name),
        tuple(
            ReportedRelated(other.message, other.place.document.path, *_position(other.place))
            for other in finding.related
        ),
        finding.fixes,
        tuple(source.line(number) for number in range(first.line, last_shown + 1)) if shown else (),
        _cause(finding),
        tuple(zip(finding.other_keys, (place.line for place in finding.others), strict=True)),
        finding.dialects,
    )


def _cause(finding: Finding) -> ReportedCause | None:
    cause = finding.cause
    if cause is None:
        return None
    place = cause.place or finding.place
    return ReportedCause(
        cause.kind,
        cause.what,
        cause.why,
        cause.certainty,
        place.document.path,
        _position(place)[0],
        cause.known,
        cause.suggested,
        cause.ruled_out,
    )


def _position(place: Any) -> tuple[int, int]:
    position = place.document.source.position(place.start)
    return position.line, position.column
