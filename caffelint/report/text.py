"""For reading: each finding with its line of text and a caret below what it means, then a summary."""

from __future__ import annotations

from collections import Counter
from typing import TextIO

from caffelint.lint.finding import DISPLAY
from caffelint.lint.report import Report, ReportedFinding
from caffelint.report import Look
from caffelint.report.words import Paint, columns, fixes, painter, place, sentence, shown, summary, tag
from caffelint.text.visible import visible

_GUTTER = 5
_NOTE = " " * (_GUTTER + 1) + "= "
_LONGEST_LINE = 160
_BEFORE_CARET = 40


def write(report: Report, out: TextIO, look: Look) -> None:
    paint = painter(look.color)
    seen = Counter(look.seen)
    for finding in shown(report, look.least):
        if seen[finding.identity]:
            seen[finding.identity] -= 1
            continue
        for line in block(finding, look, paint):
            out.write(line + "\n")
        out.write("\n")
    if not look.quiet:
        last = summary(report, look.least, paint), fixes(report, look.least, paint) if look.fixes else ""
        out.writelines(f"{line}\n" for line in last if line)


def block(finding: ReportedFinding, look: Look, paint: Paint) -> list[str]:
    """The lines that show one finding."""
    notes = [finding.evidence] if finding.evidence else []
    notes += (
        f"line {other.line}: {other.message}"
        if other.file == finding.file
        else f"{other.file}:{other.line}:{other.column}: {other.message}"
        for other in finding.related
    )
    notes += (f"{'try' if fix.safety == DISPLAY else f'fix ({fix.safety})'}: {fix.title}" for fix in finding.fixes)
    lines = _head(finding, look, paint) + _snippet(finding, look, paint)
    for note in notes:
        first, *rest = _wrapped(sentence(note), look.width, len(_NOTE), len(_NOTE))
        lines.append(paint(_NOTE, "dim") + first)
        lines += [" " * len(_NOTE) + line for line in rest]
    return lines


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
