from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, Solver, SolverRule

_MOST = 1000
"""The largest of published solvers is 32, and who wants more takes a larger batch."""


class IterSizeHuge(SolverRule):
    """`iter_size` is so large that an iteration takes hours: a number that was meant for another field.

    ## Why is this bad?
    Each iteration runs iter_size batches, adds up their gradients, and updates the weights once. With thousands of them
    nothing seems to happen, and `max_iter` and `stepsize` are never reached.

    ## Example
    ```
    base_lr: 0.01 lr_policy: "step" stepsize: 10000 iter_size: 20000
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "step" stepsize: 20000
    ```

    ## References
    - solver.cpp, Step; Hzzone/Hand-Keypoint-Detection, model/solver.prototxt
    """

    code = "S215"
    name = "iter-size-huge"
    severity = WARNING
    certainty = LIKELY
    VALID = ["base_lr: 0.01 iter_size: 64"]
    INVALID = [
        Invalid(
            "base_lr: 0.01 max_iter: 80000 iter_size: 20000",
            span="iter_size: 20000",
            message="iter_size 20000 makes each of 80000 iterations run 20000 batches for one update; remove it, or"
            " set the field that this number was meant for",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        size = solver.message.iter_size
        if size >= _MOST:
            each = f"each of {solver.message.max_iter} iterations" if solver.has("max_iter") else "each iteration"
            yield self.finding(
                solver.at("iter_size"),
                f"iter_size {size} makes {each} run {size} batches for one update; remove it, or set the field that"
                " this number was meant for",
            )
