from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule

from ._text import refuses_momentum

_STEPS_BY_RATE, _NOTHING = ("Adam", "RMSProp", "AdaGrad"), 1e-3
"""Solvers whose updates are of the size of the rate, tenfold at first, and what moves no weight by anything in all."""


class SolverTypeIgnored(SolverRule):
    """A script builds `caffe.SGDSolver` of a solver whose `type` is another.

    ## Why is this bad?
    The class decides, not the file: `SGDSolver` trains by plain SGD, with the file's momentum, and says nothing. Rates
    for Adam or AdaDelta are far from those for SGD, and a comparison of types compares SGD with itself.

    ## Example
    ```
    solver = caffe.SGDSolver("solver_adam.prototxt")
    ```
    Use instead:
    ```
    solver = caffe.get_solver("solver_adam.prototxt")
    ```

    ## Known problems
    Scripts are read as text, so a line that never runs counts as well. Silent where any script that names the solver
    calls `get_solver` or `caffe train`, where the one that builds it runs no steps, and about Nesterov without
    momentum, which is SGD.

    ## References
    - _caffe.cpp: SGDSolver and GetSolverFromFile; Caffe 1.0 makes the same steps for all types with SGDSolver
    """

    code = "S213"
    name = "solver-type-ignored"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        {"adam.prototxt": 'type: "Adam"', "train.py": 'solver = caffe.get_solver("adam.prototxt")\nsolver.step(9)'},
        # It only looks into the net.
        {"adam.prototxt": 'type: "Adam"', "look.py": 'net = caffe.SGDSolver("adam.prototxt").net'},
        # Without momentum its updates are those of SGD (nesterov_solver.cpp, ComputeUpdateValue).
        {"n.prototxt": 'type: "Nesterov"', "train.py": 'solver = caffe.SGDSolver("n.prototxt")\nsolver.step(9)'},
        {"sgd.prototxt": 'type: "SGD"', "train.py": 'solver = caffe.SGDSolver("sgd.prototxt")\nsolver.step(9)'},
    ]
    INVALID = [
        Invalid(
            {
                "fcn.prototxt": 'type: "Adam" base_lr: 1e-10 max_iter: 100000',
                "train.py": 'solver = caffe.SGDSolver("fcn.prototxt")\nsolver.step(9)',
            },
            span='type: "Adam"',
            message="type Adam is ignored where train.py:1 builds an SGDSolver, which trains by plain SGD; remove type:"
            " with base_lr 1e-10, Adam would hardly move any weight in 100,000 iterations",
        ),
        Invalid(
            {"adam.prototxt": 'type: "Adam"', "train.py": 'solver = caffe.SGDSolver("adam.prototxt")\nsolver.step(9)'},
            span='type: "Adam"',
            message="type Adam is ignored where train.py:1 builds an SGDSolver, which trains by plain SGD; call"
            " caffe.get_solver there",
        ),
        Invalid(
            {
                "old.prototxt": "base_lr: 0.1 solver_type: ADADELTA",
                "train.py": 'solver = caffe.SGDSolver("old.prototxt")\nsolver.step(9)',
            },
            span="solver_type: ADADELTA",
            message="solver_type AdaDelta is ignored where train.py:1 builds an SGDSolver, which trains by plain SGD;"
            " call caffe.get_solver there",
        ),
        Invalid(
            {
                "rms.prototxt": 'type: "RMSProp" momentum: 0.9',
                "train.py": 'solver = caffe.SGDSolver("rms.prototxt")\nsolver.step(9)',
            },
            span='type: "RMSProp"',
            message="type RMSProp is ignored where train.py:1 builds an SGDSolver, which trains by plain SGD; to keep"
            " SGD, remove type, else call caffe.get_solver there and remove momentum, which RMSProp refuses",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        runs = solver.runs
        script = runs.only_sgd if runs and not runs.by_tool else None
        if not script or solver.type == "SGD" or "bvlc" not in solver.type_forks:
            return
        if solver.type == "Nesterov" and not solver.message.momentum:
            return
        place = solver.at_first("type", "solver_type")
        remedy = "call caffe.get_solver there"
        farthest = solver.message.base_lr * solver.message.max_iter
        if solver.type in _STEPS_BY_RATE and 0 < farthest < _NOTHING:
            remedy = f"remove {place.field}: with base_lr {solver.message.base_lr:g}, {solver.type} would hardly"
            remedy += f" move any weight in {solver.message.max_iter:,} iterations"
        elif refuses_momentum(solver):
            remedy = (
                f"to keep SGD, remove {place.field}, else {remedy} and remove momentum, which {solver.type} refuses"
            )
        yield self.finding(
            place,
            f"{place.field} {solver.type} is ignored where {script} builds an SGDSolver, which trains by plain SGD;"
            f" {remedy}",
            evidence=f"pycaffe's SGDSolver does not read {place.field}",
        )
