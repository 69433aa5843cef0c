"""Everything, by the contract of docs/json.md."""

from __future__ import annotations

from collections import Counter
from typing import Any, TextIO

from caffelint.lint.cause import ReportedCause
from caffelint.lint.dialect import suggested
from caffelint.lint.finding import ERROR, INFO, WARNING, Fix
from caffelint.lint.report import Report, ReportedFinding
from caffelint.report import Look
from caffelint.report.groups import grouped
from caffelint.text.visible import json_pieces


def write(report: Report, out: TextIO, look: Look) -> None:
    value: dict[str, Any] = {
        "version": 1,
        "findings": map(_finding, report.findings),
        "groups": iter(_groups(report, look)),
        "applied": [applied._asdict() for applied in report.applied],
        "summary": _summary(report),
    }
    if report.caffes:
        value["caffes"] = [caffe._asdict() for caffe in report.caffes]
    if dialects := suggested(report.findings):
        value["dialects"] = [one._asdict() for one in dialects]
    if report.smoke:
        value["smoke"] = dict(report.smoke)
    value |= report.evidence
    out.writelines(json_pieces(value))
    out.write("\n")


def _finding(finding: ReportedFinding) -> dict[str, Any]:
    value = finding._asdict()
    del value["source"], value["others"], value["dialects"]
    value["phases"] = list(finding.phases)
    value["related"] = [related._asdict() for related in finding.related]
    value["fixes"] = [_fix(fix) for fix in finding.fixes]
    value["cause"] = _cause(finding.cause) if finding.cause else None
    return value


def _groups(report: Report, look: Look) -> list[list[int]]:
    """The places in `findings` of those that the text shows as one, in its order."""
    return [[group.first, *group.others] for group in grouped(report.findings, look.group, look.sort)]


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{"file": file, **edit._asdict()} for file, edit in fix.edits]
    return {"title": fix.title, "safety": fix.safety, "edits": edits}


def _cause(cause: ReportedCause) -> dict[str, Any]:
    suggested = cause.suggested._asdict() if cause.suggested else None
    return {**cause._asdict(), "known": [one._asdict() for one in cause.known], "suggested": suggested}


def _summary(report: Report) -> dict[str, Any]:
    counts = report.counts()
    return {
        "files": report.files,
        "errors": counts[ERROR],
        "warnings": counts[WARNING],
        "infos": counts[INFO],
        "suppressed": report.suppressed,
        "baselined": report.baselined,
        "fixed": report.fixed,
        "failures": [failure._asdict() for failure in report.failures],
        "rules": dict(sorted(Counter(finding.name for finding in report.findings).items())),
    }
