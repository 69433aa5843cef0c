"""Comments that silence findings.

`# caffelint: ignore[name, CODE] reason` behind a field silences findings on that field, behind `layer {` on the whole
block; on a line of its own, on the field or block that follows. `# caffelint: ignore-file[name] reason` silences the
file. Without brackets all rules are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from caffelint.lint.finding import Finding
from caffelint.text.parser import Document
from caffelint.text.tree import Field

_COMMENT = re.compile(r"#\s*caffelint:\s*(ignore-file|ignore)\s*(?:\[([^\]]*)\])?[ \t]*(.*)")
_ALL = frozenset({"all"})


class Suppression(NamedTuple):
    """One comment: the rules it names (`all` for all), the bytes it covers, and the reason it gives."""

    rules: frozenset[str]
    start: int
    end: int
    comment_start: int
    comment_end: int
    reason: str

    def covers(self, finding: Finding) -> bool:
        if not self.start <= finding.place.start < max(self.end, self.start + 1):
            return False
        names = self.rules
        return names is _ALL or finding.name in names or finding.code.lower() in names


def suppressions(document: Document) -> list[Suppression]:
    """The suppressing comments of a document."""
    if "caffelint:" not in document.source.text:
        return []
    found = []
    for start, end in document.comments():
        match = _COMMENT.match(document.source.text, start, end)
        if match is None:
            continue
        names = frozenset(name.strip().lower() for name in (match[2] or "").split(",") if name.strip()) or _ALL
        if match[1] == "ignore-file":
            covered = (0, len(document.source.text))
        else:
            covered = _covered(document, start)
        found.append(Suppression(names, *covered, start, end, match[3].strip()))
    return found


def _covered(document: Document, comment: int) -> tuple[int, int]:
    source = document.source
    line = source.position(comment).line
    line_start = source.line_starts[line - 1]
    alone = not source.text[line_start:comment].strip()
    starts = source.line_starts
    line_end = starts[line] if line < len(starts) else len(source.text)
    if alone:
        following = _first_field(document.root, comment)
        return (following.start, following.end) if following else (comment, comment)
    ends = [field.end for field in document.root.walk() if field.name and line_start <= field.start < comment]
    return line_start, max([line_end, *ends])


def _first_field(root: Field, offset: int) -> Field | None:
    """The first field that starts behind an offset, the outermost one where several do."""
    for field in root.walk():
        if field.name and field.start > offset:
            return field
    return None


class Silenced(NamedTuple):
    """What is left of the findings, how many were silenced, and the comments that silenced none."""

    findings: list[Finding]
    silenced: int
    unused: list[Suppression]


def silence(findings: Iterable[Finding], document: Document) -> Silenced:
    """Apply the comments of a document to the findings in it."""
    comments = suppressions(document)
    if not comments:
        return Silenced(list(findings), 0, [])
    used = [False] * len(comments)
    left, count = [], 0
    for finding in findings:
        covering = [index for index, comment in enumerate(comments) if comment.covers(finding)]
        for index in covering:
            used[index] = True
        if covering:
            count += 1
        else:
            left.append(finding)
    return Silenced(left, count, [comment for comment, was in zip(comments, used, strict=True) if not was])
