from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import DISPLAY, INFO, Finding, Given, Invalid, Solver, SolverRule, fix, write

_MESSAGE = "solver_mode is missing, so `caffe train` runs on the CPU unless started with --gpu; set solver_mode: GPU"


class NoSolverMode(SolverRule):
    """`solver_mode` is missing, so `caffe train` without `--gpu` runs on the CPU.

    ## Why is this bad?
    The default in the schema is GPU, but `caffe train` uses the field only if it is written. Without one, and without
    `--gpu`, it runs on the CPU, ten times slower or more, and says so in one line of its log. pycaffe ignores the field
    altogether; there `caffe.set_mode_gpu()` decides.

    ## Example
    ```
    net: "train_val.prototxt" base_lr: 0.01
    ```
    Use instead:
    ```
    net: "train_val.prototxt" base_lr: 0.01 solver_mode: GPU
    ```

    ## References
    - tools/caffe.cpp, train
    """

    code = "S305"
    name = "no-solver-mode"
    severity = INFO
    VALID = ["base_lr: 0.01 solver_mode: GPU", "base_lr: 0.01 solver_mode: CPU"]
    INVALID = [
        Invalid(
            'net: "train_val.prototxt" base_lr: 0.01',
            span='net: "train_val.prototxt"',
            message=_MESSAGE,
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        if solver.given("solver_mode") is not Given.NOTHING:
            return
        yield self.finding(
            solver.at(),
            _MESSAGE,
            evidence="the schema's default, GPU, has no effect; in pycaffe, only caffe.set_mode_gpu() counts",
            fixes=tuple(
                one
                for mode in ("GPU", "CPU")
                for one in fix(f"set solver_mode: {mode}", DISPLAY, write(solver, "solver_mode", value=mode))
            ),
        )
