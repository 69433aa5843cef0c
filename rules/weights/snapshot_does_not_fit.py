from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.weights.rule import Restored, State, WeightsEvidence, WeightsRule
from caffelint.lint import CERTAIN, ERROR, LIKELY, Finding, Invalid, Solver, plural, title

from ._example import FC, NET, blob
from ._words import by, by_known, state_of

_TWO = ("AdaDelta", "Adam")


class SnapshotDoesNotFit(WeightsRule):
    """A .solverstate belongs to a solver of another type, or to another net.

    ## Why is this bad?
    It holds a blob for each parameter, its momentum, and two for AdaDelta and Adam. Caffe aborts if their number is
    another one. If only their sizes are others, it does not look: it reads and writes beyond the end of the blob.

    ## References
    - sgd_solver.cpp, RestoreSolverStateFromBinaryProto and ComputeUpdateValue
    """

    code = "W301"
    name = "snapshot-does-not-fit"
    severity = ERROR
    _SOLVER = 'net: "net.prototxt" base_lr: 0.1 max_iter: 100 type: "%s"'
    _HISTORY = "\n".join(blob(shape).replace("blobs", "history", 1) for shape in ((3, 2, 3, 3), (3,), (4, 27), (4,)))
    _UNKNOWN = (
        'layer { name: "data" type: "Data" top: "data" transform_param { crop_size: 9 }'
        ' data_param { source: "db" batch_size: 1 } }\n' + FC
    )
    _BIAS = blob((4,)).replace("blobs", "history", 1)
    VALID = [
        {"solver.prototxt": _SOLVER % "SGD", "net.prototxt": NET, "a.solverstate": "iter: 10\n" + _HISTORY},
        {  # whose weights are of unknown width, so that any may fit
            "solver.prototxt": _SOLVER % "SGD",
            "net.prototxt": _UNKNOWN % ("fc", "data", 4),
            "a.solverstate": "iter: 10\n" + blob((4, 5)).replace("blobs", "history", 1) + _BIAS,
        },
    ]
    INVALID = [
        Invalid(
            {"solver.prototxt": _SOLVER % "Adam", "net.prototxt": NET, "a.solverstate": "iter: 10\n" + _HISTORY},
            span='type: "Adam"',
            message='type Adam needs 8 blobs of history but "a.solverstate" has 4, so Caffe aborts; it was written by a'
            " solver that keeps one for each parameter, such as SGD",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER % "SGD",
                "net.prototxt": NET,
                "a.solverstate": "iter: 10\n" + _HISTORY + blob((2,)).replace("blobs", "history", 1),
            },
            span='type: "SGD"',
            message='type SGD needs 4 blobs of history but "a.solverstate" has 5, so Caffe aborts; it was written for'
            " another net",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER % "SGD",
                "net.prototxt": NET.replace("num_output: 4", "num_output: 9"),
                "a.solverstate": "iter: 10\n" + _HISTORY,
            },
            span="layer",
            message='InnerProduct "fc": its history in "a.solverstate" is 4x27 but the parameter is 9x27, which Caffe'
            " does not look at and goes on beyond its end; start with --weights instead",
        ),
        Invalid(
            {
                "solver.prototxt": _SOLVER % "SGD",
                "net.prototxt": _UNKNOWN % ("fc", "data", 9),
                "a.solverstate": "iter: 10\n" + blob((4, 27)).replace("blobs", "history", 1) + _BIAS,
            },
            span="layer",
            message='InnerProduct "fc": its history in "a.solverstate" is 4x27 but the parameter is 9x?, which Caffe'
            " does not look at and goes on beyond its end; start with --weights instead",
        ),
    ]

    def check(self, weights: WeightsEvidence) -> Iterator[Finding]:
        state, solver, found = weights.state, weights.solver, weights.restored()
        if state is None or solver is None or found is None:
            return
        if found.wanted is not None and found.wanted != found.found:
            yield self.finding(solver.at_first("solver_type", "type"), _number(state, solver, found))
        elif found.stale:
            first = found.stale[0]
            layer, hdf5 = first.param.layer, state.format == "HDF5"
            then = "so Caffe aborts" if hdf5 else "which Caffe does not look at and goes on beyond its end"
            shape = by_known(first.param.shape, found.certain)
            what = f"its history in {state_of(state)} is {by(first.blob.shape)} but the parameter is {shape}"
            others = len({stale.param.layer.name for stale in found.stale}) - 1
            yield self.finding(
                weights.layer_at(layer) or weights.at(state),
                f"{title(layer)}: {what}, {then}; start with --weights instead",
                evidence=f"{plural(others, 'other layer')} as well" if others else "",
                certainty=CERTAIN if found.certain else LIKELY,
            )


def _number(state: State, solver: Solver, found: Restored) -> str:
    wanted = found.wanted or 0
    why = "it was written for another net"
    if found.found == 2 * wanted:
        why = f"it was written by {' or '.join(_TWO)}, which keep two for each parameter"
    elif wanted == 2 * found.found:
        why = "it was written by a solver that keeps one for each parameter, such as SGD"
    what = f"type {solver.type} needs {plural(wanted, 'blob')} of history but {state_of(state)} has {found.found}"
    return f"{what}, so Caffe aborts; {why}"
