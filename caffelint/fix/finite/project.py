"""What the files around a net say to its checks: rules about its layers, and the solvers that train it."""

from __future__ import annotations

import os

from caffelint.lint.config import Config
from caffelint.lint.finding import INFO, rank
from caffelint.lint.plan import plan


def findings(net: str, config: Config) -> dict[str, str]:
    """What the rules say of the net's layers, the gravest of each, by the layer's name."""
    import caffelint

    found: dict[str, str] = {}
    report = caffelint.check([net], config)
    path = os.path.normpath(net).replace(os.sep, "/")
    for finding in sorted(report.findings, key=lambda finding: -rank(finding.severity)):
        if finding.layer and finding.file == path and finding.severity != INFO:
            found.setdefault(finding.layer, finding.name)
    return found


def solvers(net: str, config: Config) -> list[str]:
    """The solvers that name the net."""
    path = os.path.normpath(net)
    jobs = plan([path], config.roots)
    return [solver for job in jobs for solver, named in job.nets if any(one.path == path for one in named)]
