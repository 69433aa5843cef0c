"""What the formats for people have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from caffelint.lint.finding import ERROR, INFO, LIKELY, UNSAFE, WARNING, rank
from caffelint.lint.packed import those
from caffelint.lint.report import Report, ReportedFinding, Unwritten
from caffelint.text.patterns import compiled_later
from caffelint.text.visible import visible

_STYLES = {
    ERROR: "1;31",
    WARNING: "1;33",
    INFO: "1;36",
    "good": "1;32",
    "bold": "1",
    "dim": "2",
    "": "",
}

_LONGEST = 1000
_COLOR = compiled_later(r"\x1b\[[\d;]*m")

Paint = Callable[[str, str], str]


def painter(color: bool) -> Paint:
    """A function `paint(text, style)`; the styles are the severities, `good`, `bold` and `dim`."""

    def paint(text: str, style: str) -> str:
        code = _STYLES[style]
        return f"\x1b[{code}m{text}\x1b[0m" if color and code and text else text

    return paint


def sentence(text: str) -> str:
    """A message for display: one that quotes a megabyte is cut in the middle."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 200]} … {text[-200:]}"
    return visible(text)


def columns(text: str) -> int:
    """How many columns of a terminal a visible text takes: East Asian characters two, accents that combine none.

    Colours take none, either.
    """
    if "\x1b" in text:
        text = _COLOR.sub("", text)
    if text.replace("…", "").isascii():  # as long lines are once they are clipped
        return len(text)
    return sum(map(_column, text))


def fitting(text: str, start: int, room: int) -> int:
    """Where what takes at most `room` columns from `start` on ends: after one character at least, not in a colour."""
    room = max(room, 1)
    if text.isascii() and text.find("\x1b", start, start + room) < 0:
        return min(start + room, len(text))
    end, taken = start, 0
    while end < len(text):
        color = _COLOR.match(text, end)
        taken += 0 if color else _column(text[end])
        if taken > room and end > start:
            break
        end = color.end() if color else end + 1
    return end


@cache
def _column(character: str) -> int:
    from unicodedata import category, east_asian_width

    return 0 if category(character) in ("Mn", "Me") else 2 if east_asian_width(character) in "WF" else 1


def place(finding: ReportedFinding) -> str:
    """`path:line:column`, the path alone for a finding without a place."""
    file = visible(finding.file)
    return file if finding.line is None else f"{file}:{finding.line}:{finding.column}"


def tag(finding: ReportedFinding) -> str:
    """The rule, and what narrows the finding: `[S201 high-base-lr, likely]`, `[G001 dead-blob, TEST]`."""
    parts = [f"{finding.code} {finding.name}"]
    if finding.certainty == LIKELY:
        parts.append(LIKELY)
    if len(finding.phases) == 1:
        parts.append(finding.phases[0])
    return f"[{', '.join(parts)}]"


def shown(report: Report, least: str) -> Sequence[ReportedFinding]:
    """The findings of severity `least` or above."""
    lowest = rank(least)
    return those(report.findings, lambda finding: rank(finding.severity) >= lowest)


def count(number: int, noun: str) -> str:
    """`1 error`, `2 errors`, `no errors`."""
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def summary(report: Report, least: str, paint: Paint) -> str:
    """The last line: what was found in how many files, and what is not shown."""
    found = report.counts()
    counts = [(severity, found[severity]) for severity in (ERROR, WARNING, INFO)]
    seen = [paint(count(n, severity), severity) for severity, n in counts if n and rank(severity) >= rank(least)]
    hidden = [count(n, severity) for severity, n in counts if n and rank(severity) < rank(least)]
    if not seen:
        seen = [paint("no findings" if least == INFO else "no errors or warnings", "" if report.failures else "good")]
    head = f"{', '.join(seen)} in {count(report.files, 'file')}" if report.files else "no prototxt file was checked"
    if report.failures and not report.files:
        head = "nothing was checked"
    unwritten = sum(isinstance(failure, Unwritten) for failure in report.failures)
    unchecked = len(report.failures) - unwritten
    asides = [
        f"{', '.join(hidden)} not shown without -v" if hidden else "",
        *accepted(report),
        f"{count(unchecked, 'path')} not checked" if unchecked else "",
        f"{count(unwritten, 'file')} not written" if unwritten else "",
    ]
    aside = "; ".join(filter(None, asides))
    return head + (paint(f" ({aside})", "dim") if aside else "")


def accepted(report: Report) -> list[str]:
    """How many findings are left out because somebody has decided so."""
    counts = ((report.suppressed, "suppressed"), (report.baselined, "in the baseline"))
    return [f"{number} {where}" for number, where in counts if number]


def fixes(report: Report, least: str, paint: Paint) -> str:
    """A line about what was fixed, or can be, of the findings of severity `least` or above; empty where nothing is."""
    safe, unsafe = report.fixable(least)
    parts = []
    if report.fixed:
        files = len({applied.file for applied in report.applied})
        parts.append(f"fixed {count(report.fixed, 'finding')} in {count(files, 'file')}")
    if report.tried:
        parts += left(report)
    elif safe:
        parts.append(f"{safe} fixable with --fix")
    more = 0 if UNSAFE in report.tried else unsafe
    if not parts:
        return f"{more} fixable with --fix --unsafe-fixes" if more else ""
    return "; ".join(parts) + (paint(f" ({more} more with --unsafe-fixes)", "dim") if more else "")


def left(report: Report) -> list[str]:
    """What could have been fixed and was not, with the reason: `2 not made, in files that were not named`."""
    return [f"{number} not made, {reason}" for reason, number in sorted(report.left.items())]
