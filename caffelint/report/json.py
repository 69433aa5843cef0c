"""Everything, by the contract of docs/json.md."""

from __future__ import annotations

import json
from typing import TextIO

from caffelint.lint.report import Report
from caffelint.report import Look


def write(report: Report, out: TextIO, look: Look) -> None:
    json.dump(report.as_json(), out, indent=2)
    out.write("\n")
