"""SARIF 2.1.0, as code scanning services read it."""

from __future__ import annotations

import inspect
import re
from typing import Any, TextIO
from urllib.parse import quote

from caffelint import __version__
from caffelint.lint.finding import CERTAIN, DISPLAY, ERROR, INFO, WARNING, Fix
from caffelint.lint.registry import find_rule
from caffelint.lint.report import Failure, Report, ReportedFinding
from caffelint.lint.site import SITE
from caffelint.report import Look
from caffelint.report.fingerprint import fingerprints
from caffelint.text.edits import Edit
from caffelint.text.visible import json_pieces

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {ERROR: "error", WARNING: "warning", INFO: "note"}


def write(report: Report, out: TextIO, look: Look) -> None:
    first = {finding.name: finding for finding in reversed(report.findings)}
    names = sorted(first, key=lambda name: first[name].code)
    results = (
        _result(finding, names.index(finding.name), fingerprint)
        for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True)
    )
    driver = {
        "name": "caffelint",
        "version": __version__,
        "informationUri": SITE,
        "rules": [_rule(first[name]) for name in names],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": not report.failures,
                "toolExecutionNotifications": [_notification(failure) for failure in report.failures],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    out.writelines(json_pieces({"$schema": _SCHEMA, "version": "2.1.0", "runs": iter([run])}))
    out.write("\n")


def _rule(finding: ReportedFinding) -> dict[str, Any]:
    """What the viewer shows of a rule; a finding without a rule of ours still has its code and name."""
    info = find_rule(finding.name)
    text = inspect.cleandoc(info.load().__doc__ or "") if info else finding.name
    return {
        "id": finding.code,
        "name": finding.name,
        "shortDescription": {"text": info.summary if info else finding.name},
        "help": {"text": text, "markdown": text},
        "helpUri": finding.url,
        "defaultConfiguration": {"level": _LEVELS[info.severity if info else finding.severity]},
        "properties": {
            "tags": ["caffe"],
            "precision": "very-high" if (info or finding).certainty == CERTAIN else "medium",
        },
    }


def _result(finding: ReportedFinding, rule: int, fingerprint: str) -> dict[str, Any]:
    text = finding.message + (f"\n{finding.evidence}" if finding.evidence else "")
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    location: dict[str, Any] = _location(finding.file, region if finding.line else None)
    if finding.layer:
        location["logicalLocations"] = [{"name": finding.layer, "kind": "object"}]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [location],
        "partialFingerprints": {"caffelint/v1": fingerprint},
        "properties": {"certainty": finding.certainty, "phases": list(finding.phases), "field": finding.field},
    }
    if finding.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": other.message},
                **_location(other.file, {"startLine": other.line, "startColumn": other.column}),
            }
            for number, other in enumerate(finding.related)
        ]
    fixes = [_fix(fix) for fix in finding.fixes if fix.safety != DISPLAY and fix.edits]
    if fixes:
        result["fixes"] = fixes
    return result


def _location(file: str, region: dict[str, int | None] | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
    if region:
        physical["region"] = region
    return {"physicalLocation": physical}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "description": {"text": f"{fix.title} ({fix.safety})"},
        "artifactChanges": [
            {"artifactLocation": {"uri": _uri(file)}, "replacements": [_replacement(edit) for edit in edits]}
            for file, edits in fix.by_file().items()
        ],
    }


def _replacement(edit: Edit) -> dict[str, Any]:
    deleted = {"byteOffset": edit.start, "byteLength": edit.end - edit.start}
    return {"deletedRegion": deleted, "insertedContent": {"text": edit.text}}


def _notification(failure: Failure) -> dict[str, Any]:
    return {"level": "error", "message": {"text": failure.message}, "locations": [_location(failure.file, None)]}


def _uri(path: str) -> str:
    """A path as a URI reference: relative as given, `file:` where it is absolute."""
    quoted = quote(path, safe="/", errors="surrogateescape")
    if path.startswith("/"):
        return f"file://{quoted}"
    if re.match("[A-Za-z]:/", path):
        return f"file:///{path[:2]}{quote(path[2:], safe='/')}"
    return quoted
