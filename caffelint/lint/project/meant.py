"""Was a value meant? Its author says so in a comment on its line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from caffelint.lint.finding import WARNING
from caffelint.lint.read import ReadError, read
from caffelint.lint.report import ReportedFinding

_WORD = re.compile(r"[^\W\d_]{2,}|\d")


def meant(one: ReportedFinding, texts: Mapping[str, bytes]) -> str:
    """How the text of a warning's file shows that its author chose the value; empty where it does not."""
    field = one.field.rpartition(".")[2]
    if one.severity != WARNING or not field or one.line is None:
        return ""
    try:
        lines = (texts[one.file] if one.file in texts else read(one.file)).decode("utf-8", "replace").splitlines()
    except ReadError:
        return ""
    at = one.line - 1
    here = lines[at] if at < len(lines) else ""
    value, _, remark = here.partition("#")
    if _WORD.search(remark) and re.fullmatch(rf"\s*{re.escape(field)}\s*:\s*\S+\s*", value):
        return "the comment on the line shows that it was chosen"
    return ""
