"""What a net's project contributes to its checks: what rules find in its layers, and the solvers that train it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from caffelint.caffe.net import PHASES
from caffelint.lint.config import Config
from caffelint.lint.finding import ERROR, INFO, rank
from caffelint.lint.plan import plan
from caffelint.lint.project.caffes import Caffes
from caffelint.lint.report import ReportedFinding
from caffelint.lint.summary import UNREADABLE, summarize

_TRAINS = ("net", "train_net")


class Judged(NamedTuple):
    """layers: the gravest rule that finds a risk of nan in a layer, by layer; errors: why Caffe refuses the net."""

    layers: dict[str, str]
    errors: list[ReportedFinding]


def judged(net: str, data: bytes, config: Config, piped: bool = False) -> Judged:
    """Check a net, whose text is `data`, in its project; alone if it was `piped`."""
    import caffelint
    from caffelint.lint.engine import check_text
    from caffelint.lint.registry import find_rule

    if not piped:
        report = caffelint.check([net], config)
        path = os.path.normpath(net)
    else:
        report = check_text(data, path=net, config=config, folder=".")
        path = net
    layers: dict[str, str] = {}
    own = sorted((one for one in report.findings if one.file == path), key=lambda one: -rank(one.severity))
    for finding in own:
        rule = find_rule(finding.name)
        if finding.layer and finding.severity != INFO and rule and rule.load().risks_nan:
            layers.setdefault(finding.layer, finding.name)
    errors = [finding for finding in own if finding.severity == ERROR]
    return Judged(layers, _refused(errors, data, net, config) if errors else [])


def _refused(errors: list[ReportedFinding], data: bytes, net: str, config: Config) -> list[ReportedFinding]:
    """The errors for which Caffe refuses the net; it accepts others, such as the logarithm of 0."""
    taken = Caffes(config).of(net)
    found = {
        one.phase: one.error for one in summarize(data, net, dialect=taken.dialect, caffe=taken.caffe) if one.error
    }

    def refused(finding: ReportedFinding) -> bool:
        why = [found[phase] for phase in finding.phases or PHASES if phase in found]
        return any(one.caffe == UNREADABLE or one.layer in (None, finding.layer) for one in why)

    return [finding for finding in errors if refused(finding)]


class Runs(NamedTuple):
    """A solver that names a net by `name` in a `field`.

    `folder` is where `caffe` has to run to find the net, empty for the working directory; `found` is False if no folder
    is known from which the name leads to the net.
    """

    solver: str
    field: str
    name: str
    folder: str
    found: bool

    @property
    def trains(self) -> bool:
        """Whether it trains the net, rather than only tests with it."""
        return self.field in _TRAINS


def runs(net: str, config: Config) -> list[Runs]:
    """The solvers that name the net, those that train it first."""
    path = os.path.normpath(net)
    found: dict[str, Runs] = {}
    for job in plan([path], config.roots):
        for solver, named in job.nets:
            own = [one for one in named if one.path == path]
            if own:
                one = min(own, key=lambda one: one.field not in _TRAINS)
                found[solver] = Runs(solver, one.field, one.name, *_folder(solver, one.name, path, config.roots))
    return [found[solver] for solver in sorted(found, key=lambda solver: (not found[solver].trains, solver))]


def _folder(solver: str, name: str, path: str, roots: Sequence[str]) -> tuple[str, bool]:
    """The folder from which `name` leads to the file at `path`, and True; else the solver's folder, and False."""
    own = folder = os.path.dirname(os.path.abspath(solver))
    above = []
    while os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        above.append(folder)
    for base in ("", own, *roots, *above):
        if os.path.realpath(os.path.join(base, name)) == os.path.realpath(path):
            return base and os.path.abspath(base), True
    return ("" if own == os.getcwd() else own), False
