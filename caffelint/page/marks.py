"""Which boxes and lines of a net findings are on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from caffelint.lint.finding import SEVERITIES, rank

if TYPE_CHECKING:
    from caffelint.lint.report import ReportedFinding
    from caffelint.page.drawing import Box, Line
    from caffelint.page.views import View


class Marks(NamedTuple):
    """counts: by index of a layer, how many findings of each severity it has. bottoms: by name of a layer, the worst
    severity of those that blame what it reads."""

    counts: Mapping[int, Counter[str]]
    bottoms: Mapping[str, str]

    def on(self, box: Box) -> Counter[str]:
        """Those on the layers of a box."""
        found: Counter[str] = Counter()
        for layer in box.layers:
            found.update(self.counts.get(layer, ()))
        return found

    def on_line(self, line: Line) -> str | None:
        """The worst severity of the findings on a line."""
        found = [self.bottoms[layer] for layer in line.layers if layer in self.bottoms]
        return max(found, key=rank, default=None)


def marks(findings: Sequence[ReportedFinding], view: View) -> Marks:
    """Those of a net in a state."""
    counts: dict[int, Counter[str]] = {}
    bottoms: dict[str, str] = {}
    for finding in findings:
        for index in layers_of(finding, view):
            counts.setdefault(index, Counter())[finding.severity] += 1
            if finding.field.startswith("bottom"):
                name = view.layers[index].name
                bottoms[name] = max(finding.severity, bottoms.get(name, ""), key=rank)
    return Marks(counts, bottoms)


def worst_of(found: Counter[str]) -> str | None:
    """The worst severity that was found."""
    return next((severity for severity in SEVERITIES if found[severity]), None)


def layers_of(finding: ReportedFinding, view: View) -> list[int]:
    """The layers of the net that a finding is on: that of its line, else the first of its name."""
    if finding.file != view.net.path:
        return []
    places = view.places
    if finding.line in places.by_line:
        return [places.by_line[finding.line]]
    return [places.by_name[finding.layer]] if finding.layer and finding.layer in places.by_name else []
