"""The texts of a project, with their lines numbered and those with findings marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from caffelint.page.markup import Markup, element, joined
from caffelint.report.words import count, sentence
from caffelint.text.source import decode
from caffelint.text.visible import visible

if TYPE_CHECKING:
    from caffelint.lint.report import ReportedFinding

_LONGEST = 500
_MOST_LINES = 20_000


def listing(texts: Mapping[str, bytes], findings: Sequence[ReportedFinding]) -> Markup:
    """Each file folded, and its lines with ids such as `t0-12`."""
    return joined(*(_text(path, number, data, findings) for number, (path, data) in enumerate(texts.items())))


def _text(path: str, number: int, data: bytes, findings: Sequence[ReportedFinding]) -> Markup:
    at: dict[int, list[tuple[int, ReportedFinding]]] = {}
    for index, finding in enumerate(findings):
        if finding.file == path and finding.line is not None:
            at.setdefault(finding.line, []).append((index, finding))
    lines = decode(data).splitlines()
    shown = [_line(line, f"t{number}-{n}", at.get(n, ())) for n, line in enumerate(lines[:_MOST_LINES], start=1)]
    left = len(lines) - len(shown)
    return element(
        "details",
        element("summary", f"{path}, {count(len(lines), 'line')}"),
        element("pre", *shown, class_="listing"),
        element("p", f"{left:,} more lines are not shown.", class_="note") if left > 0 else None,
        open=number == 0,
    )


def _line(text: str, id_: str, found: Sequence[tuple[int, ReportedFinding]]) -> Markup:
    shown = visible(text.replace("\t", "    ")[:_LONGEST]) + "…" * (len(text) > _LONGEST)
    notes = [
        element("a", f"{one.severity}: {sentence(one.message)}", href=f"#f{index}", class_=f"note {one.severity}")
        for index, one in found[:5]
    ]
    severity = found[0][1].severity if found else None
    return element("span", shown + "\n", *notes, id=id_, class_=severity)
