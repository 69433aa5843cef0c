"""Checkstyle's XML, which many build servers and reviewdog read."""

from __future__ import annotations

from itertools import groupby
from typing import TextIO
from xml.sax.saxutils import quoteattr

from caffelint.lint.report import Report
from caffelint.report import Look
from caffelint.report.words import shown
from caffelint.text.visible import visible


def write(report: Report, out: TextIO, look: Look) -> None:
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<checkstyle version="4.3">\n')
    for file, findings in groupby(shown(report, look.least), key=lambda finding: finding.file):
        out.write(f"  <file name={_attribute(file)}>\n")
        for finding in findings:
            place = f'line="{finding.line or 1}" column="{finding.column or 1}" severity="{finding.severity}"'
            source = _attribute(f"caffelint.{finding.name}")
            out.write(f"    <error {place} message={_attribute(finding.message)} source={source}/>\n")
        out.write("  </file>\n")
    for failure in report.failures:
        out.write(f"  <file name={_attribute(failure.file)}>\n")
        message = _attribute(f"not checked: {failure.message}")
        out.write(f'    <error line="1" severity="error" message={message} source="caffelint"/>\n  </file>\n')
    out.write("</checkstyle>\n")


def _attribute(text: str) -> str:
    return quoteattr(visible(text))
