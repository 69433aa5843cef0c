"""One line for each finding, as compilers write them, so that every editor can jump to it."""

from __future__ import annotations

from typing import TextIO

from caffelint.lint.report import Report
from caffelint.report import Look
from caffelint.report.words import painter, place, sentence, shown, tag


def write(report: Report, out: TextIO, look: Look) -> None:
    paint = painter(look.color)
    for finding in shown(report, look.least):
        severity = paint(finding.severity, finding.severity)
        message = sentence(finding.message)
        out.write(f"{paint(place(finding), 'bold')}: {severity}: {message} {paint(tag(finding), 'dim')}\n")
