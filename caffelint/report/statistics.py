"""How often each rule speaks, and in how many files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TextIO

from caffelint.lint.report import Report, ReportedFinding
from caffelint.report import Look
from caffelint.report.fit import Column, hanging, table
from caffelint.report.words import Paint, fixes, painter, summary

_COLUMNS = (Column("findings", True), Column("files", True, goes=1), Column("severity"), Column("rule"))


def write(report: Report, out: TextIO, look: Look) -> None:
    paint = painter(look.color)
    if report.findings:
        out.writelines(f"{line}\n" for line in [*causes(report.findings, look.width, paint), ""])
    if not look.quiet:
        for last in (summary(report, "info", paint), fixes(report, look.least, paint) if look.fixes else ""):
            out.writelines(f"{line}\n" for line in hanging(last, look.width, 4) if last)


def causes(findings: Iterable[ReportedFinding], width: int | None, paint: Paint) -> list[str]:
    """The lines of a table with a row for each rule, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    names: dict[str, int] = {}
    files: dict[tuple[str, str], set[int]] = {}
    for finding in findings:
        rule = finding.severity, f"{finding.code} {finding.name}"
        counts[rule] += 1
        files.setdefault(rule, set()).add(names.setdefault(finding.file, len(names)))
    rules = sorted(counts, key=lambda rule: (-counts[rule], rule[1]))
    rows = [(str(counts[rule]), str(len(files[rule])), paint(rule[0], rule[0]), rule[1]) for rule in rules]
    head, *lines = table(_COLUMNS, rows, width)
    return [paint(head, "dim"), *lines]
