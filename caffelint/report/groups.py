"""Which findings are shown together, and in which order: the worst first, and one place for one cause."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from caffelint.lint.finding import rank
from caffelint.lint.report import ReportedFinding
from caffelint.report.words import tag
from caffelint.text.patterns import compiled_later
from caffelint.text.records import NamedTuple

_VARIABLE = compiled_later(r'"[^"]*"|\d+(?:\.\d+)?(?:e[-+]?\d+)?')
"""What differs between two places of a cause: names and numbers."""


class Group(NamedTuple):
    """Findings that are shown as one, by their places: the first in full, then where the others are.

    `here`: those of them in the same file; `elsewhere`: one of each other file.
    """

    first: int
    others: Sequence[int] = ()
    here: Sequence[int] = ()
    elsewhere: Sequence[int] = ()

    @property
    def size(self) -> int:
        return 1 + len(self.others)


def grouped(findings: Sequence[ReportedFinding], by: str = "cause", sort: str = "severity") -> list[Group]:
    """Groups by `cause`, each with its files, by `rule`, each with its places, or by `file`, each of one finding.

    They are in the order of `severity` (files with errors first), of `count` (the most frequent first), or of `place`.
    """
    numbers: dict[str, int] = {}
    files, ranks = array("I"), array("B")
    keys: dict[tuple[str, ...], int] = {}
    alike = array("I")
    for finding in findings:
        files.append(numbers.setdefault(finding.file, len(numbers)))
        ranks.append(rank(finding.severity))
        if by != "file":
            key = (finding.severity, tag(finding)) if by == "rule" else _cause(finding)
            alike.append(keys.setdefault(key, len(keys)))
    order = _by_severity(files, ranks) if sort == "severity" else range(len(findings))
    if by == "file":
        return [Group(place) for place in order]
    same: dict[int, list[int]] = {}
    for place in order:
        same.setdefault(alike[place], []).append(place)
    if by == "rule":
        groups = [_group(places, files) for places in same.values()]
    else:
        groups = [group for places in same.values() for group in _of_one_cause(places, findings, files)]
        position = array("I", bytes(4 * len(findings)))
        for number, place in enumerate(order):
            position[place] = number
        groups.sort(key=lambda group: position[group.first])
    return sorted(groups, key=lambda group: -group.size) if sort == "count" else groups


def _by_severity(files: Sequence[int], ranks: Sequence[int]) -> Sequence[int]:
    """The places of findings: files with the worst first, in each the worst first; else in their order."""
    worst: dict[int, int] = {}
    for file, severity in zip(files, ranks, strict=True):
        worst[file] = max(severity, worst.get(file, 0))
    numbers = {file: number for number, file in enumerate(sorted(worst, key=lambda file: -worst[file]))}
    return sorted(range(len(files)), key=lambda place: (numbers[files[place]], -ranks[place]))


def _cause(finding: ReportedFinding) -> tuple[str, ...]:
    """What is equal for the same mistake in several layers or files, whatever their names and sizes."""
    return finding.severity, tag(finding), _VARIABLE.sub("", finding.message)


def _of_one_cause(places: Sequence[int], findings: Sequence[ReportedFinding], files: Sequence[int]) -> Iterator[Group]:
    """What differs within the first file is shown one by one; other files are places of the first."""
    here: dict[tuple[str, str], list[int]] = {}
    elsewhere = []
    for place in places:
        if files[place] == files[places[0]]:
            finding = findings[place]
            said = finding.message.replace(f'"{finding.layer}"', "", 1) if finding.layer else finding.message
            here.setdefault((said, finding.evidence), []).append(place)
        else:
            elsewhere.append(place)
    for first in here.values():
        yield _group([*first, *elsewhere], files)
        elsewhere = []


def _group(places: Sequence[int], files: Sequence[int]) -> Group:
    first, *others = places
    here = [place for place in others if files[place] == files[first]]
    elsewhere: dict[int, int] = {}
    for place in others:
        elsewhere.setdefault(files[place], place)
    elsewhere.pop(files[first], None)
    return Group(first, others, here, tuple(elsewhere.values()))
