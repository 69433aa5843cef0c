from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import WeightsEvidence, WeightsRule
from caffelint.lint import WARNING, Finding, Invalid

from ._example import NET
from ._words import state_of


class SnapshotAtEnd(WeightsRule):
    """A .solverstate is of an iteration at or beyond the solver's max_iter.

    ## Why is this bad?
    Caffe goes on from the iteration of the state. It trains no further, tests once and ends.

    ## References
    - solver.cpp, Solve and Step
    """

    code = "W303"
    name = "snapshot-at-end"
    severity = WARNING
    _SOLVER = 'net: "net.prototxt" base_lr: 0.1 max_iter: %d'
    VALID = [{"solver.prototxt": _SOLVER % 100, "net.prototxt": NET, "a.solverstate": "iter: 50"}]
    INVALID = [
        Invalid(
            {"solver.prototxt": _SOLVER % 100, "net.prototxt": NET, "a.solverstate": "iter: 100"},
            span="max_iter: 100",
            message='max_iter 100: "a.solverstate" is of iteration 100, so training ends at once; raise max_iter',
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        state, solver = weights.state, weights.solver
        if state is None or solver is None or not solver.has("max_iter"):
            return
        most = solver.message.max_iter
        if state.iteration >= most > 0:
            what = f"{state_of(state)} is of iteration {state.iteration}, so training ends at once"
            yield self.finding(solver.at("max_iter"), f"max_iter {most}: {what}; raise max_iter")
