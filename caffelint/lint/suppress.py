"""Comments that silence findings.

`# caffelint: ignore[name, CODE] reason` after a field silences findings on that field, after `layer {` on the whole
block; on a line of its own, on the field or block that follows, which must be in the same block as the comment.
`# caffelint: ignore-file[name] reason` silences the file. Without brackets the rules that it begins with are meant
(`ignore CODE, name reason`), all where it begins with none. It may follow other words in a comment, and another
one may follow it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from caffelint.lint.finding import Finding
from caffelint.lint.registry import find_rule
from caffelint.text.parser import Document
from caffelint.text.tree import Field

_MARK = re.compile(r"#\s*caffelint:\s*((?:(?!#\s*caffelint:).)*)")
# A slip (`ignore-line`, a bracket that is not closed) must not silence more than was meant: it is no directive.
_DIRECTIVE = re.compile(r"(ignore-file|ignore)(?:\s*\[([^\]]*)\]|(?![\w-]|\s*[\[(]))(.*)")
_UNBRACKETED = re.compile(r"[\s:=,]*([\w-]+)")
_CODE = re.compile(r"[A-Z]+[0-9]{3}")
_ALL = frozenset({"all"})
_NOTHING = re.compile(r"(?:[\s,;]|#[^\n]*(?:\n|\Z))*")


class Suppression(NamedTuple):
    """One comment: the names of its rules (`all` for all), the characters it covers, and the reason it gives.

    A comment to caffelint that is no directive has no rules, and covers nothing; nor does one on a line of its own
    that no field follows in its block.
    """

    rules: frozenset[str]
    start: int
    end: int
    comment_start: int
    comment_end: int
    reason: str

    @property
    def in_vain(self) -> bool:
        """Whether there is nothing where it reaches."""
        return bool(self.rules) and self.start == self.end

    def covers(self, finding: Finding) -> bool:
        if not self.start <= finding.place.start < self.end:
            return False
        return "all" in self.rules or finding.name in self.rules


def suppressions(document: Document) -> list[Suppression]:
    """The suppressing comments of a document."""
    if "caffelint:" not in document.source.text:
        return []
    fields = [field for field in document.root.walk() if field.name]
    found = []
    for start, end in document.comments():
        for mark in _MARK.finditer(document.source.text, start, end):
            last = mark.start() + len(mark[0].rstrip())
            directive = _DIRECTIVE.match(mark[1].rstrip())
            if directive is None:
                found.append(Suppression(frozenset(), start, start, mark.start(), last, ""))
                continue
            names, reason = _meant(directive[2], directive[3])
            whole = directive[1] == "ignore-file"
            covered = (0, len(document.source.text) + 1) if whole else _covered(document, start, fields)
            found.append(Suppression(names, *covered, mark.start(), last, reason.strip()))
    return found


def _meant(bracketed: str | None, rest: str) -> tuple[frozenset[str], str]:
    """The rules that a directive names, in brackets or, if these were forgotten, in what follows."""
    if bracketed is not None:
        names = [name.strip() for name in bracketed.split(",") if name.strip()]
    else:
        names = []
        while (word := _UNBRACKETED.match(rest)) and (find_rule(word[1]) or _CODE.fullmatch(word[1])):
            names.append(word[1])
            rest = rest[word.end() :]
    return frozenset(map(_rule_name, names)) or _ALL, rest


def _rule_name(written: str) -> str:
    """The name of the rule with that code, name or alias; the given name if there is no such rule."""
    rule = find_rule(written)
    return rule.name if rule else written.lower()


def _covered(document: Document, comment: int, fields: list[Field]) -> tuple[int, int]:
    """What a comment covers; `fields` are all that have a name, by where they start."""
    source = document.source
    line = source.position(comment).line
    line_start = source.line_starts[line - 1]
    alone = not source.text[line_start:comment].strip()
    starts = source.line_starts
    line_end = starts[line] if line < len(starts) else len(source.text)
    if alone:
        following = bisect_right(fields, comment, key=_start)
        if following == len(fields) or not _NOTHING.fullmatch(source.text, comment, fields[following].start):
            return comment, comment  # a brace closes before the next field: that one was not meant
        return fields[following].start, fields[following].end
    on_line = fields[bisect_left(fields, line_start, key=_start) : bisect_left(fields, comment, key=_start)]
    return line_start, max([line_end, *(field.end for field in on_line)])


def _start(field: Field) -> int:
    return field.start


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
