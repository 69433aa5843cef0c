"""Paths as reports show them: with slashes, also where the system has backslashes."""

from __future__ import annotations

import os

from caffelint.lint.cause import ReportedCause
from caffelint.lint.report import Report, ReportedFinding


def with_slashes(report: Report) -> Report:
    if os.sep == "/":
        return report
    return report._replace(
        findings=tuple(map(slashed, report.findings)),
        failures=tuple(one._replace(file=posix(one.file)) for one in report.failures),
        applied=tuple(one._replace(file=posix(one.file)) for one in report.applied),
        lookalikes=tuple(map(posix, report.lookalikes)),
    )


def posix(path: str) -> str:
    return path.replace(os.sep, "/")


def slashed(finding: ReportedFinding) -> ReportedFinding:
    if os.sep == "/":
        return finding
    fixes = (fix._replace(edits=tuple((posix(file), edit) for file, edit in fix.edits)) for fix in finding.fixes)
    return finding._replace(
        file=posix(finding.file),
        related=tuple(one._replace(file=posix(one.file)) for one in finding.related),
        fixes=tuple(fixes),
        cause=_cause(finding.cause) if finding.cause else None,
    )


def _cause(cause: ReportedCause) -> ReportedCause:
    known = tuple(one._replace(file=posix(one.file)) for one in cause.known)
    return cause._replace(file=posix(cause.file), known=known)
