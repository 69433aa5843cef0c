"""Everything, by the contract of docs/json.md."""

from __future__ import annotations

from typing import TextIO

from caffelint.lint.report import Report
from caffelint.report import Look
from caffelint.text.visible import json_text


def write(report: Report, out: TextIO, look: Look) -> None:
    out.write(json_text(report.as_json()) + "\n")
