"""How often each rule speaks, the most talkative first."""

from __future__ import annotations

from collections import Counter
from typing import TextIO

from caffelint.lint.report import Report
from caffelint.report import Look
from caffelint.report.words import fixes, painter, summary


def write(report: Report, out: TextIO, look: Look) -> None:
    paint = painter(look.color)
    counts = Counter((finding.code, finding.name, finding.severity) for finding in report.findings)
    digits = len(str(max(counts.values(), default=0)))
    for (code, name, severity), number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        out.write(f"{number:>{digits}}  {paint(f'{severity:<7}', severity)}  {code} {name}\n")
    if not look.quiet:
        out.write("\n" * bool(counts))
        last = summary(report, "info", paint), fixes(report, look.least, paint)
        out.writelines(f"{line}\n" for line in last if line)
