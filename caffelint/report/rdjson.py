"""Reviewdog's Diagnostic Format, a DiagnosticResult in JSON: https://github.com/reviewdog/reviewdog, proto/rdf."""

from __future__ import annotations

from itertools import chain
from typing import Any, TextIO

from caffelint.lint.finding import ERROR, INFO, WARNING
from caffelint.lint.report import Report, ReportedFinding
from caffelint.report import Look
from caffelint.report.words import shown
from caffelint.text.visible import json_pieces, visible

_SEVERITIES = {ERROR: "ERROR", WARNING: "WARNING", INFO: "INFO"}


def write(report: Report, out: TextIO, look: Look) -> None:
    rows = map(_diagnostic, shown(report, look.least))
    failures = (
        {
            "message": visible(failure.message),
            "location": {"path": failure.file},
            "severity": "ERROR",
            "code": {"value": "not checked"},
        }
        for failure in report.failures
    )
    source = {"name": "caffelint", "url": "https://github.com/caffelint/caffelint"}
    out.writelines(json_pieces({"source": source, "diagnostics": chain(rows, failures)}))
    out.write("\n")


def _diagnostic(finding: ReportedFinding) -> dict[str, Any]:
    location: dict[str, Any] = {"path": finding.file}
    if finding.line is not None:
        location["range"] = {"start": {"line": finding.line, "column": _column(finding, finding.line, finding.column)}}
        if finding.end_line is not None:
            column = _column(finding, finding.end_line, finding.end_column)
            location["range"]["end"] = {"line": finding.end_line, "column": column}
    more = f"\n{finding.evidence}" if finding.evidence else ""
    return {
        "message": "\n".join(map(visible, f"{finding.message}{more}".split("\n"))),
        "location": location,
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": f"{finding.code} {finding.name}", "url": finding.url},
    }


def _column(finding: ReportedFinding, line: int, column: int | None) -> int:
    """The column in bytes of UTF-8, as the format counts it; as it is where the line is not known."""
    number = line - (finding.line or line)
    if column is None or number >= len(finding.source):
        return column or 1
    return len(finding.source[number][: column - 1].encode("utf-8", "surrogateescape")) + 1
