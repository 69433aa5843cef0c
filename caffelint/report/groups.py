"""Which findings are shown together, and in which order: the worst first, and one place for one cause."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from caffelint.lint.finding import rank
from caffelint.lint.report import ReportedFinding
from caffelint.report.words import tag

_VARIABLE = re.compile(r'"[^"]*"|\d+(?:\.\d+)?(?:e[-+]?\d+)?')
"""What differs between two places of a cause: names and numbers."""


class Group(NamedTuple):
    """Findings that are shown as one: the first in full, then the places of the others."""

    first: ReportedFinding
    others: Sequence[ReportedFinding] = ()

    @property
    def size(self) -> int:
        return 1 + len(self.others)


def grouped(findings: Iterable[ReportedFinding], by: str = "cause", sort: str = "severity") -> list[Group]:
    """Groups by `cause`, each with its files, by `rule`, each with its places, or by `file`, each of one finding.

    They are in the order of `severity` (files with errors first), of `count` (the most frequent first), or of `place`.
    """
    ordered = in_order(findings, sort)
    if by == "file":
        return [Group(finding) for finding in ordered]
    alike: dict[tuple[str, ...], list[ReportedFinding]] = {}
    for finding in ordered:
        alike.setdefault((finding.severity, tag(finding)) if by == "rule" else _cause(finding), []).append(finding)
    if by == "rule":
        groups = [Group(first, others) for first, *others in alike.values()]
    else:
        groups = [group for same in alike.values() for group in _of_one_cause(same)]
        place = {id(finding): number for number, finding in enumerate(ordered)}
        groups.sort(key=lambda group: place[id(group.first)])
    return sorted(groups, key=lambda group: -group.size) if sort == "count" else groups


def in_order(findings: Iterable[ReportedFinding], sort: str = "severity") -> list[ReportedFinding]:
    """Findings by `sort`; those of equal rank stay in their order, which is that of files and lines."""
    findings = list(findings)
    if sort != "severity":
        return findings
    worst: dict[str, int] = {}
    for finding in findings:
        worst[finding.file] = max(rank(finding.severity), worst.get(finding.file, 0))
    numbers = {file: number for number, file in enumerate(sorted(worst, key=lambda file: -worst[file]))}
    return sorted(findings, key=lambda finding: (numbers[finding.file], -rank(finding.severity)))


def _cause(finding: ReportedFinding) -> tuple[str, ...]:
    """What is equal for the same mistake in several layers or files, whatever their names and sizes."""
    return finding.severity, tag(finding), _VARIABLE.sub("", finding.message)


def _of_one_cause(same: Sequence[ReportedFinding]) -> list[Group]:
    """What differs within the first file is shown one by one; other files are places of the first."""
    first = same[0]
    here: dict[tuple[str, str], list[ReportedFinding]] = {}
    for finding in same:
        if finding.file == first.file:
            said = finding.message.replace(f'"{finding.layer}"', "", 1) if finding.layer else finding.message
            here.setdefault((said, finding.evidence), []).append(finding)
    elsewhere = [finding for finding in same if finding.file != first.file]
    groups = [Group(one, others) for one, *others in here.values()]
    groups[0] = Group(groups[0].first, [*groups[0].others, *elsewhere])
    return groups
