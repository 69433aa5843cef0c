"""For reading: each finding with its line of text and a caret below what it means, then a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TextIO

from caffelint.lint.finding import DISPLAY
from caffelint.lint.report import Report, ReportedFinding
from caffelint.report import Look
from caffelint.report.words import Paint, columns, count, fixes, painter, place, sentence, shown, summary, tag
from caffelint.text.visible import visible

_GUTTER = 5
_NOTE = " " * (_GUTTER + 1) + "= "
_LONGEST_LINE = 160
_BEFORE_CARET = 40
_PLACES = 10
"""Of the same mistake that are named."""


def write(report: Report, out: TextIO, look: Look) -> None:
    paint = painter(look.color)
    seen = Counter(look.seen)
    alike: dict[tuple[str, ...], list[ReportedFinding]] = {}
    for finding in shown(report, look.least):
        if seen[finding.identity]:
            seen[finding.identity] -= 1
            continue
        alike.setdefault(_mistake(finding), []).append(finding)
    for first, *others in alike.values():
        for line in block(first, look, paint, others):
            out.write(line + "\n")
        out.write("\n")
    if not look.quiet:
        last = summary(report, look.least, paint), fixes(report, look.least, paint) if look.fixes else ""
        out.writelines(f"{line}\n" for line in last if line)


def _mistake(finding: ReportedFinding) -> tuple[str, ...]:
    """What is equal for the same mistake in several layers or files."""
    said = finding.message.replace(f'"{finding.layer}"', "", 1) if finding.layer else finding.message
    return finding.severity, tag(finding), said, finding.evidence


def block(finding: ReportedFinding, look: Look, paint: Paint, others: Sequence[ReportedFinding] = ()) -> list[str]:
    """The lines that show one finding; `others` are the same mistake elsewhere."""
    notes = [finding.evidence] if finding.evidence else []
    notes += (
        f"line {other.line}: {other.message}"
        if other.file == finding.file
        else f"{other.file}:{other.line}:{other.column}: {other.message}"
        for other in finding.related
    )
    notes += (f"{'try' if fix.safety == DISPLAY else f'fix ({fix.safety})'}: {fix.title}" for fix in finding.fixes)
    notes += _elsewhere(finding, others)
    lines = _head(finding, look, paint) + _snippet(finding, look, paint)
    for note in notes:
        first, *rest = _wrapped(sentence(note), look.width, len(_NOTE), len(_NOTE))
        lines.append(paint(_NOTE, "dim") + first)
        lines += [" " * len(_NOTE) + line for line in rest]
    return lines


def _elsewhere(finding: ReportedFinding, others: Sequence[ReportedFinding]) -> Iterator[str]:
    """Where else the same mistake is: in this file by layer and line, in others by the first line of each."""
    here = [other for other in others if other.file == finding.file]
    if here:
        places = [f'"{other.layer}" ({other.line})' if other.layer else f"line {other.line}" for other in here]
        yield f"the same {count(len(here), 'time')} more in this file: {_some(places)}"
    files: dict[str, ReportedFinding] = {}
    for other in others:
        files.setdefault(other.file, other)
    files.pop(finding.file, None)
    if files:
        yield f"the same in {count(len(files), 'other file')}: {_some([place(other) for other in files.values()])}"


def _some(places: Sequence[str]) -> str:
    more = len(places) - _PLACES
    return ", ".join(places[:_PLACES]) + (f" and {more} more" if more > 0 else "")


def _head(finding: ReportedFinding, look: Look, paint: Paint) -> list[str]:
    where, severity, rule = place(finding), finding.severity, tag(finding)
    begin = f"{where}: {severity}: "
    # No-break spaces keep the rule in one piece, so that it can be found again and painted.
    whole = rule.replace(" ", "\xa0")
    lines = _wrapped(f"{sentence(finding.message)} {whole}", look.width, columns(begin), 4)
    lines[-1] = lines[-1].removesuffix(whole) + paint(rule, "dim")
    first = f"{paint(where, 'bold')}: {paint(severity, severity)}: {lines[0]}"
    return [first, *("    " + line for line in lines[1:])]


def _wrapped(text: str, width: int | None, first: int, rest: int) -> list[str]:
    """Lines of at most `width` columns, of which `first` are taken in the first line and `rest` in the others."""
    if width is None or first + columns(text) <= width:
        return [text]
    from textwrap import wrap

    begin = " " * min(first, width // 2)
    lines = wrap(text, width - rest, initial_indent=begin, break_long_words=False, break_on_hyphens=False)
    return [lines[0][len(begin) :], *lines[1:]]


def _snippet(finding: ReportedFinding, look: Look, paint: Paint) -> list[str]:
    """The lines of the file, as far as the finding holds them, with carets under its span in the first."""
    if finding.line is None or not finding.source:
        return []
    first = finding.source[0]
    start = (finding.column or 1) - 1
    one_line = finding.end_line == finding.line
    end = (finding.end_column or start + 1) - 1 if one_line else len(first.rstrip())
    room = max(40, min(look.width or _LONGEST_LINE, _LONGEST_LINE) - _GUTTER - 3)
    line, start, end = _clipped(first, start, end, room)
    indent = columns(visible(line[:start]))
    carets = "^" * max(1, columns(visible(line[start:end])))
    lines = [_numbered(finding.line, visible(line), paint)]
    lines.append(paint(" " * _GUTTER + " | ", "dim") + " " * indent + paint(carets, finding.severity))
    for number, more in enumerate(finding.source[1:], finding.line + 1):
        lines.append(_numbered(number, visible(_clipped(more, 0, 0, room)[0]), paint))
    if finding.end_line and finding.end_line >= finding.line + len(finding.source):
        lines.append(paint(" " * (_GUTTER - 3) + "...", "dim"))
    return lines


def _numbered(number: int, line: str, paint: Paint) -> str:
    return (paint(f"{number:>{_GUTTER}} |", "dim") + " " + line).rstrip()


def _clipped(line: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """At most `room` characters of a long line, around its span; and where the span then is."""
    if len(line) <= room:
        return line, start, end
    kept = room - 2
    left = max(0, min(start - _BEFORE_CARET, len(line) - kept))
    before = "…" if left else ""
    after = "…" if left + kept < len(line) else ""
    moved = len(before) - left
    return before + line[left : left + kept] + after, start + moved, min(end, left + kept) + moved
