"""Inspections of TeamCity: https://www.jetbrains.com/help/teamcity/service-messages.html."""

from __future__ import annotations

import re
from typing import TextIO

from caffelint.lint.finding import ERROR, INFO, WARNING
from caffelint.lint.report import Report
from caffelint.report import Look
from caffelint.report.words import shown
from caffelint.text.patterns import compiled_later
from caffelint.text.visible import visible

_SEVERITIES = {ERROR: "ERROR", WARNING: "WARNING", INFO: "INFO"}
_SPECIAL = compiled_later(r"[|'\[\]]|[^\x20-\x7e]")


def write(report: Report, out: TextIO, look: Look) -> None:
    findings = shown(report, look.least)
    for code, name, url in dict.fromkeys((finding.code, finding.name, finding.url) for finding in findings):
        out.write(_message("inspectionType", id=code, name=name, category="caffelint", description=url))
    for finding in findings:
        message = finding.message + (f"\n{finding.evidence}" if finding.evidence else "")
        place = {"file": finding.file, "line": str(finding.line or 1), "SEVERITY": _SEVERITIES[finding.severity]}
        out.write(_message("inspection", typeId=finding.code, message=message, **place))
    for failure in report.failures:
        out.write(_message("buildProblem", description=f"{failure.file} was not checked: {failure.message}"))


def _message(kind: str, **attributes: str) -> str:
    pairs = " ".join(f"{name}='{_escaped(text)}'" for name, text in attributes.items())
    return f"##teamcity[{kind} {pairs}]\n"


def _escaped(text: str) -> str:
    return "|n".join(_SPECIAL.sub(_escape, visible(line)) for line in text.split("\n"))


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    if character in "|'[]":
        return f"|{character}"
    return "".join(f"|0x{unit:04x}" for unit in _utf16(character))


def _utf16(character: str) -> list[int]:
    data = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
