"""What there is to say of the weights that a run starts from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from caffelint.caffe.weights.file import read_weights
from caffelint.caffe.weights.stored import Unreadable
from caffelint.evidence.weights.evidence import Fit, WeightsEvidence
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.finding import INFO
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.project import Project


class Weighed(NamedTuple):
    """findings: the errors and warnings of the rules on weights. fits: what each build of a net takes of the file."""

    findings: tuple[ReportedFinding, ...] = ()
    fits: tuple[Fit, ...] = ()


def weighed(project: Project, path: str, config: Config, shapes: Mapping[str, tuple[int, ...]]) -> Weighed:
    """Nothing where the file cannot be read, which the run shows.

    shapes: of the tops that a run has seen, by which it is known what shapes weights have, and which were renamed.
    """
    try:
        weights = read_weights(path)
    except Unreadable:
        return Weighed()
    seen = project.changed({})
    for net in seen.solver.distinct_nets:
        net.input_shapes = {**shapes, **net.input_shapes}
    evidence = WeightsEvidence([weights], seen.solver.distinct_nets, seen.solver)
    found, _ = Checker(config).evidence("weights", evidence, seen.files)
    return Weighed(tuple(one for one in found if one.severity != INFO), tuple(evidence.fits))
