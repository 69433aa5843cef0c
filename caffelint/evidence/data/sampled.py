"""For a check: what samples of the data sets show that solvers and nets read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffelint.evidence.data.look import look
from caffelint.evidence.data.scan import Scan
from caffelint.lint.checker import Checker
from caffelint.lint.discover import relative
from caffelint.lint.joined import NotJoined, load_joined
from caffelint.lint.report import Report, ReportedFinding, in_order

if TYPE_CHECKING:
    from caffelint.lint.config import Config

RECORDS, WHOLE = 2000, 1 << 25
"""Records, and bytes: a source with more of both is not read whole."""
SECONDS = 60.0


def with_samples(report: Report, files: Sequence[str], config: Config) -> Report:
    """The report of a check with what samples of the data of solvers and nets show; after a minute, the data of that
    which is being read and of those that are left is not read, and a note says so.
    """
    known = {_place(one) for one in report.findings}
    found: dict[ReportedFinding, None] = {}
    suppressed, notes = 0, list(report.notes)
    with Scan(config.jobs, RECORDS, config.cache, whole=WHOLE, seconds=SECONDS) as scan:
        for number, path in enumerate(files):
            try:
                joined = load_joined(path, config)
            except NotJoined:
                continue  # the check has said so
            data = look(joined[path], scan, config.roots)
            if scan.is_ended:
                left = files[number:]
                more = f" and of {len(left) - 1} more" if len(left) > 1 else ""
                notes.append(f"the data of {relative(path)}{more} was not read: caffelint data {relative(path)} does")
                break
            # A source that is not on this machine, or cannot be read, is no finding of a check.
            data.feeds[:] = [feed for feed, _ in data.read]
            if data.feeds:
                judged, silenced = Checker(config).evidence("dataset", data, joined)
                found |= dict.fromkeys(one for one in judged if _place(one) not in known)
                suppressed += silenced
    everything = in_order([*report.findings, *found]) if found else report.findings
    return report._replace(findings=everything, suppressed=report.suppressed + suppressed, notes=tuple(notes))


def _place(one: ReportedFinding) -> tuple[object, ...]:
    return one.code, one.file, one.line, one.column
