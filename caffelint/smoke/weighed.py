"""What there is to say of the weights that a run starts from, before it runs."""

from __future__ import annotations

from caffelint.caffe.weights.file import read_weights
from caffelint.caffe.weights.stored import Unreadable
from caffelint.evidence.weights.evidence import WeightsEvidence
from caffelint.lint.checker import Checker
from caffelint.lint.config import Config
from caffelint.lint.finding import INFO
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.project import Project


def weights_findings(project: Project, path: str, config: Config) -> list[ReportedFinding]:
    """The errors and warnings of the rules on weights; none where the file cannot be read, which the run shows."""
    try:
        weights = read_weights(path)
    except Unreadable:
        return []
    evidence = WeightsEvidence([weights], project.solver.distinct_nets, project.solver)
    found, _ = Checker(config).evidence("weights", evidence, project.files)
    return [one for one in found if one.severity != INFO]
