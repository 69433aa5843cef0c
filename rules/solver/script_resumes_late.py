from __future__ import annotations

import os
from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule, compiled_later, quoted

_SLOW = 0.01
"""Of the rate at the start: who goes on with another training does not mean to begin with less."""
_END = compiled_later(r"_iter_[0-9]+\.solverstate(?:\.h5)?$")
_SOLVER = 'net: "net.prototxt" base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 100 max_iter: 400'
_RUN = "caffe train --solver=solver.prototxt --snapshot={}\n"


class ScriptResumesLate(SolverRule):
    """A script goes on from a snapshot whose iteration leaves nothing to train, or a rate that has fallen away.

    ## Why is this bad?
    A `.solverstate` holds the number of its iteration, and Caffe goes on counting there: `max_iter` and the schedule
    are those of the whole training. From the last snapshot of one no iteration is run, and from the snapshot of another
    training, as on other data, learning begins with the rate that the schedule ends with.

    ## Example
    ```
    caffe train --solver=solver.prototxt --snapshot=old_iter_400.solverstate
    ```
    Use instead:
    ```
    caffe train --solver=solver.prototxt --weights=old_iter_400.caffemodel
    ```

    ## References
    - solver.cpp, Restore and Step; sgd_solver.cpp, GetLearningRate; run on Caffe 1.0
    """

    code = "S312"
    name = "script-resumes-late"
    severity = WARNING
    certainty = LIKELY
    _FILES = {"README.md": "", "solver.prototxt": _SOLVER + ' snapshot_prefix: "new"'}
    _PYTHON = 'solver = caffe.SGDSolver("solver.prototxt")\nsolver.restore("old_iter_300.solverstate")\n'
    VALID = [
        _FILES | {"go.py": _PYTHON + "solver.step(100)\n"},
        _FILES | {"go.py": _PYTHON + "solver.net.forward()\n"},
        _FILES | {"a/train.sh": _RUN.format("new_iter_400.solverstate"), "a/solver.prototxt": _SOLVER + "0"},
        _FILES | {"train.sh": _RUN.format("new_iter_300.solverstate")},
        _FILES | {"train.sh": _RUN.format("old_iter_100.solverstate")},
        _FILES | {"train.sh": _RUN.format("$1")},
    ]
    INVALID = [
        Invalid(
            _FILES | {"go.py": _PYTHON + "solver.solve()\n"},
            span=_SOLVER.partition(" base_lr")[0],
            message='"go.py" (line 1) goes on from iteration 300 of another training, where the rate has fallen from'
            ' 0.01 to 1e-05; train on from the weights alone: solver.net.copy_from("old_iter_300.caffemodel")',
        ),
        Invalid(
            _FILES | {"train.sh": _RUN.format("new_iter_400.solverstate")},
            span=_SOLVER.partition(" base_lr")[0],
            message='"train.sh" (line 1) goes on from iteration 400, and max_iter is 400, so no iteration is run; raise'
            " max_iter, or train on from the weights: --weights=new_iter_400.caffemodel",
        ),
        Invalid(
            _FILES | {"train.sh": _RUN.format("old_iter_200.solverstate")},
            span=_SOLVER.partition(" base_lr")[0],
            message='"train.sh" (line 1) goes on from iteration 200 of another training, where the rate has fallen from'
            " 0.01 to 0.0001; train on from the weights alone: --weights=old_iter_200.caffemodel",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message, schedule = solver.message, solver.schedule
        prefix = os.path.basename(message.snapshot_prefix)
        for one in solver.runs.resumed if solver.runs else ():
            where = f"{quoted(one.place.path)} (line {one.place.line}) goes on from iteration {one.iteration}"
            stored = one.state.replace(".solverstate", ".caffemodel")
            is_python = one.place.path.endswith(".py")
            weights = f"solver.net.copy_from({quoted(stored)})" if is_python else f"--weights={stored}"
            if 0 < message.max_iter <= one.iteration:
                yield self.finding(
                    solver.at(),
                    f"{where}, and max_iter is {message.max_iter}, so no iteration is run; raise max_iter, or train on"
                    f" from the weights: {weights}",
                )
            elif prefix and prefix != _END.sub("", os.path.basename(one.state)) and not schedule.problem:
                start, now = schedule.rate(0), schedule.rate(one.iteration)
                if 0 < now <= start * _SLOW * 1.001:
                    yield self.finding(
                        solver.at(),
                        f"{where} of another training, where the rate has fallen from {start:g} to {now:g}; train on"
                        f" from the weights alone: {weights}",
                    )
