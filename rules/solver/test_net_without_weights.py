from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule

_SOLVER = (
    'net: "net.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 400 test_iter: 10\n'
    "test_interval: {} test_initialization: false"
)
_SCRIPT = """
solver = caffe.SGDSolver("solver.prototxt")
solver.step(400)
{}solver.test_nets[0].forward()
print(solver.test_nets[0].blobs["accuracy"].data)
"""
_SHARE = "solver.test_nets[0].share_with(solver.net)\n"


class TestNetWithoutWeights(SolverRule):
    """A script runs the test net of a solver that never gives it the trained weights.

    ## Why is this bad?
    A test net has weights of its own, as its fillers drew them, until the solver tests for the first time and lets it
    share those of the training net. With `test_initialization: false` and a `test_interval` that is never reached it
    never does, and what a script measures by `solver.test_nets[0]` is chance.

    ## Example
    ```python
    solver.test_nets[0].forward()
    ```
    Use instead:
    ```python
    solver.test_nets[0].share_with(solver.net)
    solver.test_nets[0].forward()
    ```

    ## References
    - solver.cpp, Solver::Test: ShareTrainedLayersWith; _caffe.cpp, share_with
    """

    code = "S310"
    name = "test-net-without-weights"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "solver.prototxt": _SOLVER.format(100000), "train.py": _SCRIPT.format("")}
    VALID = [
        _FILES | {"train.py": _SCRIPT.format(_SHARE)},
        _FILES | {"solver.prototxt": _SOLVER.format(100)},
        _FILES | {"solver.prototxt": _SOLVER.format(100000).replace("false", "true")},
    ]
    INVALID = [
        Invalid(
            _FILES,
            span="test_initialization: false",
            message="train.py:4 runs a test net of this solver, but that never gets the trained weights: the solver"
            " shares them at its first test, which test_initialization and test_interval 100000 put off beyond max_iter"
            " 400; call solver.test_nets[0].share_with(solver.net) first",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        if solver.runs is None or solver.runs.tests is None or message.test_initialization:
            return
        if 0 < message.max_iter < message.test_interval:
            yield self.finding(
                solver.at("test_initialization"),
                f"{solver.runs.tests} runs a test net of this solver, but that never gets the trained weights: the"
                " solver shares them at its first test, which test_initialization and test_interval"
                f" {message.test_interval} put off beyond max_iter {message.max_iter}; call"
                " solver.test_nets[0].share_with(solver.net) first",
            )
