"""Findings as the protocol has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
    Location,
    Position,
    Range,
)

from caffelint.lint.finding import ERROR, WARNING
from caffelint.lint.registry import find_rule
from caffelint.lint.report import ReportedFinding
from caffelint.lsp.documents import Documents
from caffelint.lsp.positions import Lines
from caffelint.text.source import Source

_SEVERITIES = {ERROR: DiagnosticSeverity.Error, WARNING: DiagnosticSeverity.Warning}


def diagnostics(path: str, findings: tuple[ReportedFinding, ...], documents: Documents) -> list[Diagnostic]:
    """The findings of a file; those without a place are shown at its beginning."""
    place = _places(documents)
    return [_diagnostic(finding, path, documents, place) for finding in findings]


_Place = Callable[[str], "tuple[Source, Lines] | None"]


def _places(documents: Documents) -> _Place:
    """Gives the text of a file, which is read once for all findings in it."""
    known: dict[str, tuple[Source, Lines] | None] = {}

    def place(path: str) -> tuple[Source, Lines] | None:
        if path not in known:
            lines = documents.lines(path)
            known[path] = (Source(lines.data), lines) if lines else None
        return known[path]

    return place


def _diagnostic(finding: ReportedFinding, path: str, documents: Documents, place: _Place) -> Diagnostic:
    found = place(path)
    return Diagnostic(
        _range(*found, finding) if found else Range(Position(0, 0), Position(0, 0)),
        finding.message + (f"\n{finding.evidence}" if finding.evidence else ""),
        _SEVERITIES.get(finding.severity, DiagnosticSeverity.Information),
        finding.name,
        CodeDescription(finding.url),
        "caffelint",
        [DiagnosticTag.Unnecessary] if _has_no_effect(finding.name) else None,
        list(_related(finding, documents, place)) or None,
    )


def _has_no_effect(name: str) -> bool:
    info = find_rule(name)
    return bool(info and info.load().has_no_effect)


def _related(finding: ReportedFinding, documents: Documents, place: _Place) -> Iterator[DiagnosticRelatedInformation]:
    for other in finding.related:
        found = place(other.file)
        position = Position(other.line - 1, other.column - 1)
        if found:
            position = found[1].position(_offset(found[0], other.line, other.column))
        where = Location(documents.uri(other.file), Range(position, position))
        yield DiagnosticRelatedInformation(where, other.message)


def _range(source: Source, lines: Lines, finding: ReportedFinding) -> Range:
    if finding.line is None or finding.end_line is None:
        return Range(Position(0, 0), Position(0, 0))
    start = _offset(source, finding.line, finding.column or 1)
    return lines.range(start, max(start, _offset(source, finding.end_line, finding.end_column or 1)))


def _offset(source: Source, line: int, column: int) -> int:
    """The byte at a line and a column in code points, both from 1."""
    if line > len(source.line_starts):
        return len(source.data)
    start = source.line_starts[line - 1]
    shown = source.line(line)[: column - 1]
    is_utf8 = source.slice(start, start + len(shown.encode())) == shown
    return start + (len(shown.encode()) if is_utf8 else len(shown))
