"""GitLab code quality: https://docs.gitlab.com/ci/testing/code_quality, Code Quality report format."""

from __future__ import annotations

from itertools import chain
from typing import TextIO

from caffelint.lint.finding import ERROR, INFO, WARNING
from caffelint.lint.report import Report
from caffelint.report import Look
from caffelint.report.fingerprint import digest, fingerprints
from caffelint.report.words import shown
from caffelint.text.visible import json_pieces

_SEVERITIES = {ERROR: "critical", WARNING: "minor", INFO: "info"}


def write(report: Report, out: TextIO, look: Look) -> None:
    findings = shown(report, look.least)
    rows = (
        {
            "description": finding.message,
            "check_name": f"{finding.code} {finding.name}",
            "fingerprint": fingerprint,
            "severity": _SEVERITIES[finding.severity],
            "location": {
                "path": finding.file.removeprefix("./"),
                "lines": {"begin": finding.line or 1, "end": finding.end_line or 1},
            },
        }
        for finding, fingerprint in zip(findings, fingerprints(findings), strict=True)
    )
    failures = (
        {
            "description": failure.message,
            "check_name": "not checked",
            "fingerprint": digest(f"{failure.file}\0{number}"),
            "severity": "blocker",
            "location": {"path": failure.file.removeprefix("./"), "lines": {"begin": 1}},
        }
        for number, failure in enumerate(report.failures)
    )
    out.writelines(json_pieces(chain(rows, failures)))
    out.write("\n")
