"""What `caffelint data` read before of data sets that have not changed since, for a check and a smoke test."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from caffelint.evidence.data.evidence import DataEvidence, shape_nets
from caffelint.evidence.data.gains import matrices_of
from caffelint.evidence.data.label_maps import label_maps_of
from caffelint.evidence.data.means import means_of
from caffelint.evidence.data.scan import kept
from caffelint.evidence.data.sources import feeds, rebuilt
from caffelint.lint.joined import NotJoined, load_joined
from caffelint.lint.report import Report, ReportedFinding, in_order

if TYPE_CHECKING:
    from caffelint.lint.config import Config


def kept_findings(path: str, config: Config) -> tuple[ReportedFinding, ...]:
    """The findings in the data sets of a solver or net; nothing is read but what was kept. Empty if nothing was."""
    from caffelint.lint.checker import Checker

    if not config.cache:
        return ()
    try:
        files = load_joined(path, config)
    except NotJoined:
        return ()
    confined = not config.is_asked("read_data")
    found = feeds(files[path], config.roots, confined=confined)
    scanned = {source: known for feed in found if (source := feed.source) and (known := kept(source))}
    found = [feed for feed in found if feed.source in scanned]
    if not found:
        return ()
    shape_nets(found, scanned)
    means = means_of(found, config.roots, confined=confined)
    maps = label_maps_of(found, config.roots, confined=confined)
    gains = matrices_of(found, config.roots, confined=confined)
    data = DataEvidence(files[path], rebuilt(found), scanned, means=means, label_maps=maps, matrices=gains)
    return Checker(config).evidence("dataset", data, files)[0]


def with_kept(report: Report, paths: Sequence[str], config: Config) -> Report:
    """The report of a check with what was found before in the data sets of the files that were given."""
    found = [one for path in paths if os.path.isfile(path) for one in kept_findings(path, config)]
    return report._replace(findings=in_order([*report.findings, *found])) if found else report
