"""One file per output format, named as the format is. Each has `write(report, out, look)` and computes nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from typing import TextIO

    from caffelint.lint.report import Report

FORMATS = {
    "text": "for reading: each finding with its line and a caret",
    "concise": "one line for each finding",
    "statistics": "how often each rule speaks",
    "json": "everything, see docs/json.md",
    "sarif": "SARIF 2.1.0, for code scanning",
    "github": "annotations in GitHub Actions",
    "gitlab": "GitLab code quality",
    "junit": "JUnit XML, as Jenkins reads it",
    "rdjson": "Reviewdog's diagnostic format",
    "checkstyle": "Checkstyle XML",
    "teamcity": "inspections of TeamCity",
}


class Look(NamedTuple):
    """What differs between one reader and another.

    `least` is the lowest severity that is shown to people, in reviews and on build servers, too; JSON and SARIF
    hold all findings. `width` is where to wrap, None never. `quiet` leaves out the summary. From `fail_on` on a finding
    fails a test (JUnit). The text leaves out the findings of `seen`, by `ReportedFinding.identity`, which the reader
    has just seen. `fixes`: does the command make fixes, so that their number is of use? `group` and `sort` are those of
    `grouped` in caffelint.report.groups; `top` is how many groups the text shows, 0 for all.
    """

    color: bool = False
    width: int | None = None
    least: str = "warning"
    quiet: bool = False
    fail_on: str = "error"
    seen: tuple[tuple[str, ...], ...] = ()
    fixes: bool = True
    group: str = "cause"
    sort: str = "severity"
    top: int = 0


def write(name: str, report: Report, out: TextIO, look: Look | None = None) -> None:
    """Write a report in one of `FORMATS`, with slashes in all paths."""
    from caffelint.report.paths import with_slashes

    import_module(f"caffelint.report.{name}").write(with_slashes(report), out, look or Look())
