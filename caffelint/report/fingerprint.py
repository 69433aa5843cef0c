"""Names for findings that outlive a change of lines."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

from caffelint.lint.report import ReportedFinding


def fingerprints(findings: Iterable[ReportedFinding]) -> list[str]:
    """One for each finding: of its file, rule, layer and field, numbered where several agree in these."""
    seen: Counter[str] = Counter()
    names = []
    for finding in findings:
        name = f"{finding.file}\0{finding.key}"
        seen[name] += 1
        names.append(digest(f"{name}\0{seen[name]}"))
    return names


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
