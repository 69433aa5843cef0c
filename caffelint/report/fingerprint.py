"""Names for findings that outlive a change of lines."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from caffelint.lint.report import ReportedFinding


def fingerprints(findings: Iterable[ReportedFinding]) -> Iterator[str]:
    """One for each finding: of its file, rule, layer and field, numbered where several agree in these."""
    seen: Counter[int] = Counter()  # by hash, for a name takes as much memory as a finding
    for finding in findings:
        name = f"{finding.file}\0{finding.key}"
        seen[number := hash(name)] += 1
        yield digest(f"{name}\0{seen[number]}")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
