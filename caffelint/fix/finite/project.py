"""What the files around a net say to its checks: rules about its layers, and the solvers that train it."""

from __future__ import annotations

import os
from typing import NamedTuple

from caffelint.lint.config import Config
from caffelint.lint.finding import ERROR, INFO, rank
from caffelint.lint.plan import plan
from caffelint.lint.report import ReportedFinding

_TRAINS = ("net", "train_net")


class Judged(NamedTuple):
    """What the rules say of a net: of its layers the gravest, by name; and the errors in it."""

    layers: dict[str, str]
    errors: list[ReportedFinding]


def judged(net: str, data: bytes | None, config: Config) -> Judged:
    """Check a net in its project, or by itself where its text is given."""
    import caffelint

    if data is None:
        report = caffelint.check([net], config)
        path = os.path.normpath(net).replace(os.sep, "/")
    else:
        report = caffelint.check_text(data, path=net, config=config)
        path = net
    layers: dict[str, str] = {}
    own = sorted((one for one in report.findings if one.file == path), key=lambda one: -rank(one.severity))
    for finding in own:
        if finding.layer and finding.severity != INFO:
            layers.setdefault(finding.layer, finding.name)
    return Judged(layers, [finding for finding in own if finding.severity == ERROR])


class Runs(NamedTuple):
    """A solver that names a net, and whether it trains it; else it tests with it alone."""

    solver: str
    trains: bool


def runs(net: str, config: Config) -> list[Runs]:
    """The solvers that name the net, first those that train it."""
    path = os.path.normpath(net)
    found: dict[str, bool] = {}
    for job in plan([path], config.roots):
        for solver, named in job.nets:
            fields = [one.field for one in named if one.path == path]
            if fields:
                found[solver] = any(field in _TRAINS for field in fields)
    return [Runs(solver, trains) for solver, trains in sorted(found.items(), key=lambda one: not one[1])]
