from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, INFO, LIKELY, WARNING, Finding, Given, Invalid, Solver, SolverRule


class NoMaxIter(SolverRule):
    """`max_iter` is missing, 0 or negative, so `caffe train` runs no iteration.

    ## Why is this bad?
    The default is 0. `caffe train` then saves the untrained weights and reports success. A script that calls
    `solver.step(n)` itself does not need max_iter, so a missing one is not reported if a script of the repository calls
    it. A solver that also says `snapshot: 0`, as those of Fast R-CNN do, is assumed to be run by such a script, and
    reported as info, unless a script that names the solver calls `solver.solve()`. Any other missing max_iter is a
    warning, since a script may run the solver; a max_iter of 0 or less, which somebody wrote, is an error. A solver
    with `max_iter: 0`, `test_iter` and `test_interval` tests once, as
    those are meant to that SSD evaluates given weights with: it is a warning, and not reported with
    `snapshot_after_train: false` or `test_initialization: true`.

    ## Example
    ```
    net: "train_val.prototxt" base_lr: 0.01 lr_policy: "fixed"
    ```
    Use instead:
    ```
    net: "train_val.prototxt" base_lr: 0.01 lr_policy: "fixed" max_iter: 10000
    ```

    ## References
    - solver.cpp, Solve
    """

    code = "S301"
    name = "no-max-iter"
    severity = ERROR
    VALID = [
        "base_lr: 0.01 max_iter: 10000",
        'base_lr: 0.01 lr_policy: "poly" power: 1',
        "base_lr: 0.01 max_iter: ITERATIONS",
        "max_iter: 0 test_iter: 100 test_interval: 10 snapshot_after_train: false base_lr: 0.01",
        "max_iter: 0 test_iter: 100 test_interval: 10 test_initialization: true base_lr: 0.01",
    ]
    INVALID = [
        Invalid(
            "base_lr: 0.01 max_iter: 0 test_iter: 100 test_interval: 10 test_initialization: false",
            span="max_iter: 0",
            message="max_iter is 0, so `caffe train` tests once and trains nothing; set it to the number of iterations",
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "fixed"',
            span="base_lr: 0.01",
            message="max_iter is missing and defaults to 0, so `caffe train` runs no iteration and saves untrained"
            " weights; set it to the number of iterations",
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "fixed" max_iter: 0',
            span="max_iter: 0",
            message="max_iter 0 is not positive, so `caffe train` runs no iteration and saves untrained weights; set it"
            " to the number of iterations",
        ),
        Invalid(
            'train_net: "train.prototxt" base_lr: 0.01 lr_policy: "fixed" snapshot: 0',
            span='train_net: "train.prototxt"',
            message="max_iter is missing and defaults to 0, so `caffe train` would run no iteration; set max_iter,"
            " or train from a script that calls solver.step()",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        message, given = solver.message, solver.has("max_iter")
        # lr_policy "poly" divides by it, which poly-without-max-iter reports.
        if message.max_iter > 0 or message.lr_policy == "poly" and message.max_iter == 0 and message.power:
            return
        if solver.given("max_iter") is Given.UNREADABLE:
            return
        tests = message.max_iter == 0 and message.test_interval > 0 and any(message.test_iter)
        customs = solver.runs and solver.runs.customs
        if (given and tests and _is_meant_to_test(solver)) or (
            not given and customs and (customs.steps or customs.drives)
        ):
            return
        if given and tests:
            text = "max_iter is 0, so `caffe train` tests once and trains nothing; set it to the number of iterations"
            yield self.finding(solver.at("max_iter"), text, severity=WARNING, certainty=LIKELY)
            return
        text = f"max_iter {message.max_iter} is not positive" if given else "max_iter is missing and defaults to 0"
        solves = solver.runs and solver.runs.solves
        if not given and solves:
            text += f", so solver.solve() in {solves} runs no iteration; set it to the number of iterations"
            yield self.finding(solver.at(), text, severity=WARNING, certainty=LIKELY)
        elif not given and solver.has("snapshot") and message.snapshot == 0:
            text += ", so `caffe train` would run no iteration; set max_iter, or train from a script that calls"
            text += " solver.step()"
            yield self.finding(solver.at(), text, severity=INFO)
        else:
            text += ", so `caffe train` runs no iteration and saves untrained weights; set it to the number of"
            text += " iterations"
            yield self.finding(solver.at("max_iter"), text, severity=None if given else WARNING)


def _is_meant_to_test(solver: Solver) -> bool:
    """Whether the run is meant to test given weights, as with the evaluation solvers of SSD."""
    message = solver.message
    return not message.snapshot_after_train or solver.has("test_initialization") and message.test_initialization
