"""For reading: each finding with its line of text and a caret below what it means, then a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TextIO

from caffelint.lint.finding import DISPLAY
from caffelint.lint.packed import those
from caffelint.lint.report import Report, ReportedFinding
from caffelint.report import Look
from caffelint.report.fit import hanging, wrapped
from caffelint.report.groups import Group, grouped
from caffelint.report.statistics import causes
from caffelint.report.words import Paint, columns, count, fixes, painter, place, sentence, shown, summary, tag
from caffelint.text.visible import visible

_GUTTER = 5
_NOTE = " " * (_GUTTER + 1) + "= "
_LONGEST_LINE = 160
_BEFORE_CARET = 40
_MORE = "    "
"""Before the second and later lines of a message."""
_PLACES = 10
"""Of the same mistake that are named."""
_MANY = 5
"""Findings that a dialect has to silence to be named."""
_FEW = 12
"""Findings, of which a table says no more than the findings themselves."""
_PLACE = 9
"""Columns for line and column below the name of a file."""


def write(report: Report, out: TextIO, look: Look) -> None:
    paint = painter(look.color)
    fresh = _unseen(shown(report, look.least), look.seen)
    groups = grouped(fresh, look.group, look.sort)
    top = groups[: look.top] if look.top else groups
    for line in _below_files(fresh, top, look, paint) if look.group == "file" else _blocks(fresh, top, look, paint):
        out.write(line + "\n")
    if look.quiet:
        return
    last = [summary(report, look.least, paint), fixes(report, look.least, paint) if look.fixes else ""]
    last += _dialects(fresh)
    if len(groups) > len(top):
        left = sum(group.size for group in groups[len(top) :])
        last.append(f"{count(left, 'finding')} more; --top 0 shows all")
    if len(fresh) > _FEW:
        out.writelines(f"{line}\n" for line in [*causes(fresh, look.width, paint), ""])
    out.writelines(f"{line}\n" for text in last if text for line in hanging(text, look.width, 4))


def _dialects(findings: Sequence[ReportedFinding]) -> Iterator[str]:
    """The dialects that would silence many findings."""
    if sum(bool(finding.dialects) for finding in findings) < _MANY:
        return
    from caffelint.lint.dialect import suggested

    for one in suggested(findings):
        if one.findings >= _MANY:
            these = "1 file fits" if one.files == 1 else f"{one.files} files fit"
            yield f'{these} {one.title}: set dialect = "{one.dialect}" to silence {one.findings} of these findings'


def _unseen(findings: Sequence[ReportedFinding], seen: Sequence[tuple[str, ...]]) -> Sequence[ReportedFinding]:
    """Those that the reader has not just seen."""
    left = Counter(seen)

    def is_fresh(finding: ReportedFinding) -> bool:
        if left[finding.identity]:
            left[finding.identity] -= 1
            return False
        return True

    return those(findings, is_fresh) if seen else findings


def _blocks(findings: Sequence[ReportedFinding], groups: Sequence[Group], look: Look, paint: Paint) -> Iterator[str]:
    for group in groups:
        yield from block(findings[group.first], look, paint, [*_elsewhere(findings, group)])
        yield ""


def _below_files(
    findings: Sequence[ReportedFinding], groups: Sequence[Group], look: Look, paint: Paint
) -> Iterator[str]:
    """A line for each finding, below the name of its file."""
    file = None
    for group in groups:
        finding = findings[group.first]
        if finding.file != file:
            if file is not None:
                yield ""
            file = finding.file
            yield from (paint(line, "bold") for line in wrapped(visible(file), look.width))
        where = f"{finding.line}:{finding.column}" if finding.line is not None else ""
        begin = f"{where:>{_PLACE}}  {finding.severity:<7}  "
        first, *rest = _said(finding, look, paint, columns(begin), columns(begin))
        yield f"{where:>{_PLACE}}  {paint(f'{finding.severity:<7}', finding.severity)}  {first}"
        yield from (" " * columns(begin) + line for line in rest)
    if file is not None:
        yield ""


def block(finding: ReportedFinding, look: Look, paint: Paint, elsewhere: Sequence[str] = ()) -> list[str]:
    """The lines that show one finding; `elsewhere` tells where the same mistake is besides."""
    notes = [finding.evidence] if finding.evidence else []
    notes += (
        f"line {other.line}: {other.message}"
        if other.file == finding.file
        else f"{other.file}:{other.line}:{other.column}: {other.message}"
        for other in finding.related
    )
    notes += (f"{'try' if fix.safety == DISPLAY else f'fix ({fix.safety})'}: {fix.title}" for fix in finding.fixes)
    notes += elsewhere
    lines = _head(finding, look, paint) + _snippet(finding, look, paint)
    for note in notes:
        first, *rest = wrapped(sentence(note), look.width, len(_NOTE), len(_NOTE))
        lines.append(paint(_NOTE, "dim") + first)
        lines += [" " * len(_NOTE) + line for line in rest]
    return lines


def _elsewhere(findings: Sequence[ReportedFinding], group: Group) -> Iterator[str]:
    """Where else the same mistake is: in this file by layer and line, in others by the first line of each."""
    if group.here:
        here = (findings[number] for number in group.here[:_PLACES])
        places = [f'"{other.layer}" ({other.line})' if other.layer else f"line {other.line}" for other in here]
        yield f"the same {count(len(group.here), 'time')} more in this file: {_some(places, group.here)}"
    if group.elsewhere:
        places = [place(findings[number]) for number in group.elsewhere[:_PLACES]]
        yield f"also in {count(len(group.elsewhere), 'other file')}: {_some(places, group.elsewhere)}"


def _some(places: Sequence[str], of: Sequence[int]) -> str:
    more = len(of) - len(places)
    return ", ".join(places) + (f" and {more} more" if more else "")


def _head(finding: ReportedFinding, look: Look, paint: Paint) -> list[str]:
    """Place, severity and message; the message is on lines of its own if the place takes half a line or more."""
    where, severity = place(finding), finding.severity
    begin = f"{where}: {severity}:"
    if look.width is None or columns(begin) < look.width // 2:
        first, *rest = _said(finding, look, paint, columns(begin) + 1, len(_MORE))
        return [f"{paint(where, 'bold')}: {paint(severity, severity)}: {first}", *(_MORE + line for line in rest)]
    places = wrapped(begin, look.width)
    places[-1] = places[-1].removesuffix(f"{severity}:") + f"{paint(severity, severity)}:"
    lines = _said(finding, look, paint, len(_MORE), len(_MORE))
    return [*(paint(line, "bold") for line in places), *(_MORE + line for line in lines)]


def _said(finding: ReportedFinding, look: Look, paint: Paint, first: int, rest: int) -> list[str]:
    """The message and the rule, which is not painted as long as it is on two lines."""
    # No-break spaces keep the rule in one piece, so that it can be found again and painted.
    rule = tag(finding)
    whole = rule.replace(" ", "\xa0")
    text = f"{sentence(finding.message)} {whole}"
    lines = wrapped(text, look.width, first, rest)
    if len(lines) > 1 and first > rest:  # leave as much room at the end of the first line as begins the others
        lines = wrapped(text, look.width, first + rest, rest)
    if lines[-1].endswith(whole):
        lines[-1] = lines[-1].removesuffix(whole) + paint(rule, "dim")
    return [line.replace("\xa0", " ") for line in lines]


def _snippet(finding: ReportedFinding, look: Look, paint: Paint) -> list[str]:
    """The lines of the file, as far as the finding holds them, with carets under its span in the first."""
    if finding.line is None or not finding.source:
        return []
    first = finding.source[0]
    start = (finding.column or 1) - 1
    one_line = finding.end_line == finding.line
    end = (finding.end_column or start + 1) - 1 if one_line else len(first.rstrip())
    room = max(20, min(look.width or _LONGEST_LINE, _LONGEST_LINE) - _GUTTER - 3)
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
