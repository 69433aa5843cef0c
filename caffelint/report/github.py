"""Annotations in GitHub Actions: https://docs.github.com/actions, Workflow commands."""

from __future__ import annotations

from typing import TextIO

from caffelint.lint.finding import ERROR, INFO, WARNING
from caffelint.lint.report import Report
from caffelint.report import Look
from caffelint.report.words import shown
from caffelint.text.visible import visible

_COMMANDS = {ERROR: "error", WARNING: "warning", INFO: "notice"}


def write(report: Report, out: TextIO, look: Look) -> None:
    for finding in shown(report, look.least):
        place: dict[str, str | int | None] = {"file": finding.file}
        if finding.line is not None:
            place |= {"line": finding.line, "endLine": finding.end_line}
            if finding.line == finding.end_line:
                # GitHub takes columns within one line only, and its end column is the last one.
                place |= {"col": finding.column, "endColumn": max(finding.column or 1, (finding.end_column or 1) - 1)}
        text = finding.message + (f"\n{finding.evidence}" if finding.evidence else "")
        out.write(_command(_COMMANDS[finding.severity], place, f"{finding.code} {finding.name}", text))
    for failure in report.failures:
        out.write(_command("error", {"file": failure.file}, "not checked", failure.message))


def _command(name: str, place: dict[str, str | int | None], title: str, message: str) -> str:
    properties = ",".join(f"{key}={_property(str(value))}" for key, value in {**place, "title": title}.items())
    return f"::{name} {properties}::{_data(message)}\n"


def _data(text: str) -> str:
    return "%0A".join(visible(line) for line in text.replace("%", "%25").split("\n"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
