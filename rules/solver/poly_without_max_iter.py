from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Given, Invalid, Solver, SolverRule


class PolyWithoutMaxIter(SolverRule):
    """`lr_policy: "poly"` divides by `max_iter`, which is missing or 0, so the first rate is 0/0.

    ## Why is this bad?
    The rate is `base_lr * (1 - iter / max_iter) ^ power`. With `max_iter` missing or 0, iteration 0 computes 0/0, which
    is nan, and one update with a nan rate makes every weight nan. `caffe train` hides this, since it then runs no
    iteration at all and saves the untrained net; a training loop in Python that calls `solver.step(n)` gets the nan.

    ## Example
    ```
    base_lr: 0.01 lr_policy: "poly" power: 0.9
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "poly" power: 0.9 max_iter: 40000
    ```

    ## References
    - sgd_solver.cpp, GetLearningRate; solver.cpp, Solve
    - Stack Overflow 33962226
    """

    code = "S101"
    name = "poly-without-max-iter"
    severity = ERROR
    VALID = [
        'base_lr: 0.01 lr_policy: "poly" power: 1 max_iter: 1000',
        'base_lr: 0.01 lr_policy: "fixed"',
        'base_lr: 0.01 lr_policy: "poly"',
    ]
    INVALID = [
        Invalid(
            'base_lr: 0.01 lr_policy: "poly" power: 1',
            span='lr_policy: "poly"',
            message='lr_policy "poly" divides by max_iter, which is missing, so the first rate is 0/0 = nan; set'
            " max_iter to the number of iterations",
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "poly" power: 1 max_iter: 0',
            span="max_iter: 0",
            message='lr_policy "poly" divides by max_iter, which is 0, so the first rate is 0/0 = nan; set max_iter to'
            " the number of iterations",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message = solver.message
        # Without a power even nan ^ 0 is 1, which missing-lr-parameter and no-max-iter report.
        if message.lr_policy != "poly" or message.max_iter != 0 or message.power == 0:
            return
        if solver.given("max_iter") is Given.UNREADABLE:
            return
        how = "is 0" if solver.has("max_iter") else "is missing"
        yield self.finding(
            solver.at("max_iter") if solver.has("max_iter") else solver.at("lr_policy"),
            f'lr_policy "poly" divides by max_iter, which {how}, so the first rate is 0/0 = nan;'
            " set max_iter to the number of iterations",
            evidence="`caffe train` runs no iteration and saves untrained weights;"
            " solver.step() in Python makes every weight nan",
        )
