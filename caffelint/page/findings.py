"""What was found, as a list: message, the text with carets, why it matters, and each fix as a diff."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from caffelint.fix.diff import diff
from caffelint.lint.finding import DISPLAY, SEVERITIES
from caffelint.lint.registry import find_rule
from caffelint.page.markdown import as_html
from caffelint.page.markup import Markup, element, joined
from caffelint.report.words import columns, count, place, sentence, tag
from caffelint.text.edits import apply_edits
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.lint.finding import Fix
    from caffelint.lint.report import ReportedFinding

_LONGEST_LINE = 200
_MOST_DIFFS = 400
_MOST_SHOWN = 2000


def panel(findings: Sequence[ReportedFinding], texts: Mapping[str, bytes], anchors: Mapping[str, int]) -> Markup:
    """All findings with filters. texts: the bytes of files by path. anchors: the numbers of the texts in the page."""
    if not findings:
        return element("p", "Nothing was found.", class_="note")
    shown = findings[:_MOST_SHOWN]
    cards = [
        _card(finding, number, texts, anchors.get(finding.file), number < _MOST_DIFFS)
        for number, finding in enumerate(shown)
    ]
    names = sorted({finding.name for finding in shown})
    left = len(findings) - len(shown)
    return joined(
        _filters(shown),
        element("p", f"{left} more are not shown.", class_="note") if left else None,
        element("ol", *cards, class_="findings"),
        element("h3", "The rules"),
        *(_explanation(name) for name in names),
    )


def _filters(findings: Sequence[ReportedFinding]) -> Markup:
    by_severity = Counter(finding.severity for finding in findings)
    boxes = [
        element(
            "label",
            element("input", type="checkbox", checked=True, data_severity=severity),
            f" {count(by_severity[severity], severity)}",
        )
        for severity in SEVERITIES
        if by_severity[severity]
    ]
    rules = Counter(finding.name for finding in findings)
    files = Counter(finding.file for finding in findings)
    return element(
        "form",
        *boxes,
        _choice("rule", "All rules", rules),
        _choice("file", "All files", files) if len(files) > 1 else None,
        element("label", "Search ", element("input", type="search", data_filter="text")),
        class_="filters needs-script",
    )


def _choice(what: str, everything: str, found: Counter[str]) -> Markup:
    options = [element("option", f"{name} ({times})", value=name) for name, times in found.most_common()]
    return element(
        "label",
        f"{what.capitalize()} ",
        element("select", element("option", everything, value=""), *options, data_filter=what),
    )


def _card(
    finding: ReportedFinding, number: int, texts: Mapping[str, bytes], text: int | None, with_diff: bool
) -> Markup:
    line = finding.line
    where: Markup = element("span", place(finding), class_="place")
    if text is not None and line is not None:
        where = element("a", place(finding), href=f"#t{text}-{line}", class_="place")
    more = [
        f"line {other.line}: {other.message}" if other.file == finding.file
        else f"{other.file}:{other.line}:{other.column}: {other.message}"
        for other in finding.related
    ]  # fmt: skip
    return element(
        "li",
        element(
            "p",
            element("span", finding.severity, class_=f"badge {finding.severity}"),
            " ",
            where,
            " ",
            element("a", tag(finding), href=f"#rule-{finding.name}", class_="rule"),
        ),
        element("p", sentence(finding.message), class_="message"),
        element("button", "Show in the net", type="button", class_="needs-script", data_finding=number),
        _snippet(finding),
        element("p", sentence(finding.evidence), class_="evidence") if finding.evidence else None,
        *(element("p", sentence(one), class_="evidence") for one in more[:20]),
        *(_fix(fix, texts, with_diff) for fix in finding.fixes[:4]),
        id=f"f{number}",
        class_=finding.severity,
        data_rule=finding.name,
        data_file=finding.file,
    )


def _snippet(finding: ReportedFinding) -> Markup | None:
    """The lines of the text, the first with carets below what is meant."""
    if not finding.source or finding.line is None or finding.column is None:
        return None
    rows: list[Markup | str] = []
    for number, source in enumerate(finding.source):
        if number:
            rows.append("\n")
        shown = source[:_LONGEST_LINE] + "…" * (len(source) > _LONGEST_LINE)
        rows += [element("span", f"{finding.line + number:>5} | ", class_="number"), _line(shown)]
        if not number and finding.column <= _LONGEST_LINE:
            is_whole = finding.end_line == finding.line and finding.end_column is not None
            end = min(finding.end_column or 0, _LONGEST_LINE) if is_whole else len(shown) + 1
            before = columns(_line(source[: finding.column - 1]))
            width = max(1, columns(_line(source[finding.column - 1 : end - 1])))
            rows += ["\n", element("span", "      | ", class_="number"), " " * before]
            rows.append(element("span", "^" * width, class_=f"caret {finding.severity}"))
    return element("pre", *rows, class_="source", tabindex=0)


def _line(text: str) -> str:
    return visible(text)


def _fix(fix: Fix, texts: Mapping[str, bytes], with_diff: bool) -> Markup:
    title = f"Try: {fix.title}" if fix.safety == DISPLAY else f"Fix ({fix.safety}): {fix.title}"
    changes = b""
    if with_diff:
        for path, edits in fix.by_file().items():
            old = texts.get(path)
            if old is not None and all(0 <= edit.start <= edit.end <= len(old) for edit in edits):
                changes += diff(path, old, apply_edits(old, edits))
    if not changes:
        return element("p", sentence(title), class_="fix")
    return element("details", element("summary", sentence(title)), as_diff(changes), class_="fix")


def as_diff(changes: bytes) -> Markup:
    """A unified diff with its lines marked."""
    kinds = {"+": "added", "-": "removed", "@": "hunk"}
    rows = []
    for line in changes.decode("utf-8", "replace").splitlines():
        head = line.startswith(("+++ ", "--- "))
        rows.append(element("span", f"{visible(line[:2000])}\n", class_="hunk" if head else kinds.get(line[:1])))
    return element("pre", *rows, class_="diff", tabindex=0)


def _explanation(name: str) -> Markup | None:
    info = find_rule(name)
    if info is None:
        return None
    text = inspect.cleandoc(info.load().__doc__ or "")
    return element(
        "details",
        element("summary", f"{info.code} {info.name}"),
        as_html(text),
        id=f"rule-{name}",
        class_="explanation",
    )
