"""What a check of the text tells once the shapes of the data are known, as a run has seen them."""

from __future__ import annotations

from copy import copy

import caffelint
from caffelint.caffe.states import TRAIN
from caffelint.lint.config import Config
from caffelint.lint.finding import WARNING
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.project import Project
from caffelint.smoke.run import Run


def checked_with_shapes(project: Project, config: Config, run: Run) -> list[ReportedFinding]:
    """The warnings on the TRAIN net; what Caffe refuses, the run itself has shown. Nothing where the text tells all."""
    tops = [top for layer in run.built[0].layers if not layer.bottoms for top in layer.tops]
    shapes = {top.name: "x".join(map(str, top.shape)) for top in tops if top.shape}
    own = [built for net in project.solver.distinct_nets for built in net.states() if built.phase == TRAIN]
    unknown = {blob.name for built in own for layer in built.layers for blob in layer.tops if blob.shape is None}
    if unknown.isdisjoint(shapes):
        return []
    told = copy(config)
    told.input_shape = shapes | config.input_shape
    found = caffelint.check([project.solver.path], told).findings
    return [one for one in found if one.severity == WARNING and (not one.phases or TRAIN in one.phases)]
