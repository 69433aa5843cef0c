"""JUnit XML as Jenkins reads it: a suite for each file, a case for each finding.

A finding from `fail_on` on is a failure, one below it is a skipped case, so the suite is red exactly when the run is.
"""

from __future__ import annotations

from itertools import groupby
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from caffelint.lint.finding import rank
from caffelint.lint.report import Report, ReportedFinding
from caffelint.report import Look
from caffelint.report.words import shown
from caffelint.text.visible import visible


def write(report: Report, out: TextIO, look: Look) -> None:
    limit = rank(look.fail_on) or 9
    found = shown(report, look.least)
    failed = sum(rank(finding.severity) >= limit for finding in found)
    tests = len(found) + len(report.failures) or 1
    out.write('<?xml version="1.0" encoding="utf-8"?>\n')
    out.write(f'<testsuites name="caffelint" {_counts(tests, failed, len(report.failures))}>\n')
    for file, group in groupby(found, key=lambda finding: finding.file):
        findings = list(group)
        failures = sum(rank(finding.severity) >= limit for finding in findings)
        counts = f'{_counts(len(findings), failures, 0)} skipped="{len(findings) - failures}"'
        out.write(f"  <testsuite name={_attribute(file)} {counts}>\n")
        for finding in findings:
            _case(finding, "failure" if rank(finding.severity) >= limit else "skipped", out)
        out.write("  </testsuite>\n")
    for failure in report.failures:
        out.write(f"  <testsuite name={_attribute(failure.file)} {_counts(1, 0, 1)}>\n")
        out.write(f'    <testcase name="not checked" classname={_attribute(failure.file)}>\n')
        out.write(f'      <error type="failure" message={_attribute(failure.message)}/>\n    </testcase>\n')
        out.write("  </testsuite>\n")
    if not found and not report.failures:
        # Jenkins takes a report without any case for a broken one.
        out.write(f'  <testsuite name="caffelint" {_counts(1, 0, 0)}>\n')
        out.write(f'    <testcase name="no findings in {report.files} files" classname="caffelint"/>\n  </testsuite>\n')
    out.write("</testsuites>\n")


def _counts(tests: int, failures: int, errors: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="{errors}"'


def _case(finding: ReportedFinding, outcome: str, out: TextIO) -> None:
    place = f"{finding.file}:{finding.line}:{finding.column}" if finding.line else finding.file
    name = _attribute(f"{finding.code} {finding.name} at {finding.line}:{finding.column}")
    text = _xml(f"{place}: {finding.message}" + (f"\n{finding.evidence}" if finding.evidence else ""))
    out.write(f"    <testcase name={name} classname={_attribute(finding.file)}>\n")
    out.write(f'      <{outcome} type="{finding.severity}" message={_attribute(finding.message)}>')
    out.write(f"{escape(text)}</{outcome}>\n    </testcase>\n")


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))


def _xml(text: str) -> str:
    """Text without the characters that XML 1.0 does not allow (2.2 Characters), and what is unseen or a command."""
    return "\n".join(map(visible, text.split("\n")))
