"""The page over all projects of a folder: what was found by rule and project, and how that differs from a baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from caffelint.lint.finding import SEVERITIES
from caffelint.lint.registry import find_rule
from caffelint.page.charts import bars
from caffelint.page.evidence import Tab
from caffelint.page.html import badges, document
from caffelint.page.markup import Content, Markup, element, joined
from caffelint.page.summary import table
from caffelint.report.words import count, sentence

if TYPE_CHECKING:
    from caffelint.lint.report import Failure, ReportedFinding

_MOST_BARS = 20


class Entry(NamedTuple):
    """A project: the path of its solver or net, its files, and the address of its page, empty if there is none."""

    path: str
    files: frozenset[str]
    page: str = ""


class Trend(NamedTuple):
    """Findings by rule: those of the baseline, and those of now that it does not hold."""

    before: Mapping[str, int]
    new: Mapping[str, int]


def index(
    folder: str,
    entries: Sequence[Entry],
    findings: Sequence[ReportedFinding],
    failures: Sequence[Failure],
    trend: Trend | None,
) -> str:
    """The whole page."""
    head = element(
        "header",
        element("h1", folder),
        badges(findings),
        element("p", f"{count(len(entries), 'project')}, {count(len(findings), 'finding')}", class_="note"),
        *(element("p", sentence(f"{one.file}: {one.message}"), class_="note error") for one in failures[:20]),
    )
    tabs = [
        Tab("projects", "Projects", _projects(entries, findings)),
        Tab("rules", "Rules", _rules(findings)),
    ]
    if trend is not None:
        tabs.append(Tab("trend", "Trend", _trend(findings, trend)))
    return document(folder, head, tabs, {})


def _projects(entries: Sequence[Entry], findings: Sequence[ReportedFinding]) -> Markup:
    """Those with the worst findings first."""
    by_file: dict[str, Counter[str]] = {}
    for finding in findings:
        by_file.setdefault(finding.file, Counter())[finding.severity] += 1
    counted = [
        (entry, sum((by_file.get(file, Counter()) for file in entry.files), Counter[str]())) for entry in entries
    ]
    counted.sort(key=lambda pair: ([-pair[1][severity] for severity in SEVERITIES], pair[0].path))
    rows: list[tuple[Content, ...]] = [
        (
            element("a", entry.path, href=entry.page) if entry.page else entry.path,
            *(str(found[severity] or "") for severity in SEVERITIES),
            str(len(entry.files)),
        )
        for entry, found in counted
    ]
    heads = ("project", *(f"{severity}s" for severity in SEVERITIES), "files")
    return table(heads, rows, numbers=range(1, 5), caption="Projects, those with the worst findings first")


def _rules(findings: Sequence[ReportedFinding]) -> Markup:
    found = Counter(finding.name for finding in findings)
    files: dict[str, set[str]] = {}
    severities: dict[str, str] = {}
    for finding in findings:
        files.setdefault(finding.name, set()).add(finding.file)
        severities.setdefault(finding.name, finding.severity)
    drawn = [(name, float(times), f"{times:,}") for name, times in found.most_common(_MOST_BARS)]
    rows = [
        (_rule(name), severities[name], f"{times:,}", f"{len(files[name]):,}", _summary(name))
        for name, times in found.most_common()
    ]
    if not rows:
        return element("p", "Nothing was found.", class_="note")
    return joined(
        bars(drawn, "Findings by rule"),
        table(("rule", "severity", "findings", "files", ""), rows, numbers=(2, 3), caption="Findings by rule"),
    )


def _trend(findings: Sequence[ReportedFinding], trend: Trend) -> Markup:
    now = Counter(finding.name for finding in findings)
    names = sorted({*now, *trend.before}, key=lambda name: (-trend.new.get(name, 0), name))
    rows = []
    for name in names:
        before, new = trend.before.get(name, 0), trend.new.get(name, 0)
        gone = before - (now[name] - new)
        rows.append((_rule(name), *(f"{value:,}" for value in (before, new, gone, now[name]))))
    total = [sum(int(row[at].replace(",", "")) for row in rows) for at in range(1, 5)]
    said = f"{total[1]:,} new since the baseline, {total[2]:,} gone; {total[0]:,} then, {total[3]:,} now."
    heads = ("rule", "in the baseline", "new", "gone", "now")
    return joined(
        element("p", said, class_="message"), table(heads, rows, numbers=range(1, 5), caption="Against the baseline")
    )


def _rule(name: str) -> str:
    info = find_rule(name)
    return f"{info.code} {name}" if info else name


def _summary(name: str) -> str:
    info = find_rule(name)
    return info.summary if info else ""
