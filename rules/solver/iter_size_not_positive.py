from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, SAFE, UNSAFE, Finding, Invalid, Solver, SolverRule, fix, remove


class IterSizeNotPositive(SolverRule):
    """`iter_size` is 0 or negative, so no batch is ever run.

    ## Why is this bad?
    Each iteration runs iter_size batches and divides the loss and the gradients by iter_size. With 0 that is 0/0, and
    one update makes every weight nan. With a negative number no gradient is computed and nothing is learned.

    ## Example
    ```
    base_lr: 0.01 iter_size: 0
    ```
    Use instead:
    ```
    base_lr: 0.01 iter_size: 1
    ```

    ## Fix safety
    Safe for 0, which makes every weight nan; the default is 1. Unsafe for a negative number, which may have been meant
    as a positive one.

    ## References
    - solver.cpp, Step; sgd_solver.cpp, Normalize
    """

    code = "S208"
    name = "iter-size-not-positive"
    severity = ERROR
    VALID = ["base_lr: 0.01 iter_size: 2", "base_lr: 0.01"]
    INVALID = [
        Invalid(
            "base_lr: 0.01 iter_size: 0",
            span="iter_size: 0",
            message="iter_size 0 is below 1, so Caffe divides the gradients by 0 and gets nan; remove it",
            fixed="base_lr: 0.01",
        ),
        Invalid(
            "base_lr: 0.01 iter_size: -2",
            span="iter_size: -2",
            message="iter_size -2 is below 1, so no batch is run and nothing is learned; remove it",
            fixed="base_lr: 0.01",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        size = solver.message.iter_size
        if size > 0:
            return
        why = "no batch is run and nothing is learned" if size else "Caffe divides the gradients by 0 and gets nan"
        yield self.finding(
            solver.at("iter_size"),
            f"iter_size {size} is below 1, so {why}; remove it",
            fixes=fix("remove iter_size", UNSAFE if size else SAFE, remove(solver, "iter_size")),
        )
