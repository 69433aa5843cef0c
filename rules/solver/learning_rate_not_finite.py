from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Solver, SolverRule


class LearningRateNotFinite(SolverRule):
    """The learning rate becomes infinite or nan within the run.

    ## Why is this bad?
    One update with such a rate makes the weights infinite or nan for good; Caffe goes on to max_iter all the same. The
    schedule is evaluated over all iterations of the run as Caffe does it, in float, where a rate overflows above
    3.4e38.

    ## Example
    ```
    base_lr: 0.01 lr_policy: "exp" gamma: 1.01 max_iter: 100000
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "exp" gamma: 0.9999 max_iter: 100000
    ```

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S104"
    name = "learning-rate-not-finite"
    severity = ERROR
    VALID = [
        'base_lr: 0.01 lr_policy: "exp" gamma: 0.9 max_iter: 1000000',
        'base_lr: 0.01 lr_policy: "exp" gamma: 1.0001 max_iter: 1000',
        'base_lr: 0.01 lr_policy: "poly" power: 0.5 max_iter: 1000',
        'base_lr: 0.01 lr_policy: "poly" power: 0.5',
    ]
    INVALID = [
        Invalid(
            'base_lr: 0.01 lr_policy: "exp" gamma: 1.01 max_iter: 100000',
            span='lr_policy: "exp"',
            message="the learning rate starts at 0.01 and becomes inf at iteration 9380, so every weight becomes inf or"
            " nan; check gamma",
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "step" gamma: 1e30 stepsize: 100 max_iter: 250',
            span='lr_policy: "step"',
            message="the learning rate starts at 0.01 and becomes inf at iteration 200, so every weight becomes inf or"
            " nan; check gamma and stepsize",
        ),
        Invalid(
            'base_lr: inf lr_policy: "fixed" max_iter: 10',
            span="base_lr: inf",
            message="the learning rate is inf from the first iteration on, so every weight becomes inf or nan; set a"
            " finite base_lr",
        ),
        Invalid(
            'base_lr: nan lr_policy: "fixed" max_iter: 10',
            span="base_lr: nan",
            message="the learning rate is nan from the first iteration on, so every weight becomes inf or nan; set a"
            " finite base_lr",
        ),
        Invalid(
            'base_lr: 1 lr_policy: "inv" gamma: 1 power: nan max_iter: 10',
            span='lr_policy: "inv"',
            message="the learning rate starts at 1 and becomes nan at iteration 1, so every weight becomes inf or nan;"
            " check gamma and power",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        schedule, runs = solver.schedule, max(solver.message.max_iter, 0)
        if schedule.problem:
            return
        if not math.isfinite(schedule.base):
            runs = max(runs, 1)
        found = schedule.first_bad(runs)
        if not found:
            return
        iteration, rate = found
        value = "nan" if math.isnan(rate) else f"{rate:g}"
        finite = math.isfinite(schedule.base)
        advice = f"check {' and '.join(schedule.reads)}" if finite else "set a finite base_lr"
        if iteration:
            message = f"the learning rate starts at {schedule.rate(0):g} and becomes {value} at iteration {iteration}"
        else:
            message = f"the learning rate is {value} from the first iteration on"
        message += f", so every weight becomes inf or nan; {advice}"
        yield self.finding(solver.at("lr_policy" if finite else "base_lr"), message)
