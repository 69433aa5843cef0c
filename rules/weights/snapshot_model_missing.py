from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule
from caffelint.lint import ERROR, Finding, Invalid
from caffelint.lint.disk import exists

from ._example import NET
from ._words import state_of


class SnapshotModelMissing(WeightsRule):
    """A .solverstate names a .caffemodel that does not exist.

    ## Why is this bad?
    The state holds only the momentum and the iteration. Caffe reads the weights from the file that it names, by its
    path at the time of writing, from the working directory; without it, Caffe aborts.

    ## References
    - sgd_solver.cpp, RestoreSolverStateFromBinaryProto
    """

    code = "W302"
    name = "snapshot-model-missing"
    severity = ERROR
    _SOLVER = 'net: "net.prototxt" base_lr: 0.1 max_iter: 100'
    VALID = [{"solver.prototxt": _SOLVER, "net.prototxt": NET, "a.solverstate": "iter: 10"}]
    INVALID = [
        Invalid(
            {
                "solver.prototxt": _SOLVER,
                "net.prototxt": NET,
                "a.solverstate": 'iter: 10 learned_net: "nowhere/a_iter_10.caffemodel"',
            },
            span="",
            message='"a.solverstate" names "nowhere/a_iter_10.caffemodel", which does not exist here, so Caffe aborts;'
            " run Caffe in the folder of that training",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        state = weights.state
        if state is None or not state.learned_net or exists(state.learned_net):
            return
        beside = os.path.join(os.path.dirname(state.path), os.path.basename(state.learned_net))
        remedy = "run Caffe in the folder of that training"
        if exists(beside):
            remedy = f'"{beside}" has the same name: make a link from one to the other'
        what = f'{state_of(state)} names "{state.learned_net}", which does not exist here, so Caffe aborts'
        yield self.finding(weights.at(state), f"{what}; {remedy}")
