from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, SAFE, UNSAFE, Finding, Invalid, Solver, SolverRule, fix, remove


class IterSizeNotPositive(SolverRule):
    """`iter_size` is 0 or negative: no batch is ever run.

    ## Why is this bad?
    Each iteration runs iter_size batches, and divides loss and gradients by it. At 0 that is 0/0, and one update makes
    every weight nan; below 0 no gradient is computed and nothing is learned.

    ## Example
    ```
    base_lr: 0.01 iter_size: 0
    ```
    Use instead:
    ```
    base_lr: 0.01 iter_size: 1
    ```

    ## Fix safety
    Safe for 0, with which every weight becomes nan; 1 is the default. Unsafe for a negative number, which may stand
    for a positive one.

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
            message="iter_size is 0, and must be at least 1: the gradients are divided by it and come out as nan",
            fixed="base_lr: 0.01",
        ),
        Invalid(
            "base_lr: 0.01 iter_size: -2",
            span="iter_size: -2",
            message="iter_size is -2, and must be at least 1: no batch is run and nothing is learned",
            fixed="base_lr: 0.01",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        size = solver.message.iter_size
        if size > 0:
            return
        why = (
            "no batch is run and nothing is learned" if size else "the gradients are divided by it and come out as nan"
        )
        yield self.finding(
            solver.at("iter_size"),
            f"iter_size is {size}, and must be at least 1: {why}",
            fixes=fix("remove it", UNSAFE if size else SAFE, remove(solver, "iter_size")),
        )
