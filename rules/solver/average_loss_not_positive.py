from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, SAFE, Finding, Invalid, Kind, Solver, SolverRule, fix, remove


class AverageLossNotPositive(SolverRule):
    """`average_loss` is 0 or negative, which Caffe refuses.

    ## Why is this bad?
    It is the number of iterations whose losses are averaged for the log. If it is below 1, Caffe aborts at the start.

    ## Example
    ```
    average_loss: 0
    ```
    Use instead:
    ```
    average_loss: 1
    ```

    ## Fix safety
    Safe: Caffe refuses the solver as it is, and by default it logs the loss of each iteration without averaging.

    ## References
    - solver.cpp, Init
    """

    code = "S211"
    name = "average-loss-not-positive"
    severity = ERROR
    claims = (Kind.AVERAGE_LOSS,)
    VALID = ["base_lr: 0.01 average_loss: 20", "base_lr: 0.01"]
    INVALID = [
        Invalid(
            "base_lr: 0.01 average_loss: 0",
            span="average_loss: 0",
            message="average_loss 0 is below 1, but it is the number of iterations that the loss is averaged over;"
            " remove it",
            fixed="base_lr: 0.01",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        count = solver.message.average_loss
        if solver.refusal(Kind.AVERAGE_LOSS):
            yield self.finding(
                solver.at("average_loss"),
                f"average_loss {count} is below 1, but it is the number of iterations that the loss is averaged over;"
                " remove it",
                evidence="Caffe stops at the start: average_loss should be non-negative",
                fixes=fix("remove average_loss", SAFE, remove(solver, "average_loss")),
            )
