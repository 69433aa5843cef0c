from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import INFO, UNSAFE, WARNING, Finding, Fix, Invalid, Solver, SolverRule, fix, write

_HORIZON = 1_000_000
"""The number of iterations to look at where max_iter is not set."""
_LOW, _HIGH, _SEARCH = 2e-4, 1.0, 10_000
"""Where a search for a rate begins and ends, and its iterations at most."""
_NOTHING = 1e-3
"""Of base_lr."""
_PART = 0.1
"""Of a training: as much without learning is no warm-up."""


class LearningRateGrows(SolverRule):
    """The learning rate rises instead of falling.

    ## Why is this bad?
    A gamma above 1 or a negative power turns a decay into growth, and a rate that grows makes training diverge sooner
    or later. The policy `sigmoid` always rises, from near 0 to base_lr around stepsize. Caffe's comment calls it a
    decay, but Caffe refuses the negative gamma that would make it one.

    ## Example
    ```
    base_lr: 0.01 lr_policy: "step" gamma: 10 stepsize: 1000
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000
    ```

    ## Known problems
    A rate that grows on purpose (a warm-up, a search for the largest rate that works) is reported too.

    ## Fix safety
    Unsafe: the rate falls where it used to rise.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S106"
    name = "learning-rate-grows"
    severity = WARNING
    VALID = [
        # The warm-up of a fork.
        'base_lr: 10 lr_policy: "poly" power: 2 max_iter: 9000 rampup_interval: 600 rampup_lr: 1',
        'base_lr: 10 lr_policy: "multistep" max_iter: 9000 rampup_interval: 600 rampup_lr: 1',
        'base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000',
        'base_lr: 0.01 lr_policy: "step" gamma: 1 stepsize: 1000',
        'base_lr: 0.01 lr_policy: "step" gamma: 10 stepsize: 1000 max_iter: 1000',
        'base_lr: 0.01 lr_policy: "inv" gamma: 0.01 power: 0.75 max_iter: 1000',
        'base_lr: 24 lr_policy: "poly" power: 2 max_iter: 7800 rampup_lr: 1 rampup_interval: 400',
    ]
    INVALID = [
        Invalid(
            'base_lr: 0.01 lr_policy: "step" gamma: 10 stepsize: 1000 max_iter: 2500',
            span="gamma: 10",
            message="gamma 10 is above 1, so the learning rate grows from 0.01 to 1 at iteration 2499 and training may"
            " diverge; set gamma: 0.1",
            fixed='base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000 max_iter: 2500',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "multistep" gamma: 10 stepvalue: 1000',
            span="gamma: 10",
            message="gamma 10 is above 1, so the learning rate grows and training may diverge; set gamma: 0.1",
            fixed='base_lr: 0.01 lr_policy: "multistep" gamma: 0.1 stepvalue: 1000',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "inv" gamma: 1 power: -1 max_iter: 100',
            span="power: -1",
            message="power -1 is negative, so the learning rate grows from 0.01 to 1 at iteration 99 and training may"
            " diverge; set power: 1",
            fixed='base_lr: 0.01 lr_policy: "inv" gamma: 1 power: 1 max_iter: 100',
        ),
        Invalid(
            'base_lr: 0.1 lr_policy: "sigmoid" gamma: 0.1 stepsize: 50 max_iter: 100',
            span='lr_policy: "sigmoid"',
            message='lr_policy "sigmoid" always rises, so the learning rate grows from 0.000669285 to 0.0992609 at'
            " iteration 99 and training may diverge; use a policy that falls, such as step",
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "sigmoid" gamma: 0.1 stepsize: 500 max_iter: 1000',
            span='lr_policy: "sigmoid"',
            message='lr_policy "sigmoid" always rises, so the learning rate grows from 1.92875e-24 to 0.01 at'
            " iteration 999 and next to nothing is learned before iteration 431; use a policy that falls, such as step",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        schedule, runs = solver.schedule, solver.message.max_iter
        if schedule.problem or schedule.policy == "poly" and runs <= 0:
            return
        # NVCaffe's rise over rampup_interval is meant.
        start = abs(schedule.rate(max(schedule.rampup - 1, 0)))
        rates = schedule.extremes(runs if runs > 0 else _HORIZON)
        iteration, most = max(rates, key=lambda pair: abs(pair[1]))
        # A rate that is next to nothing all along is reported by learning-rate-vanishes.
        if not abs(most) > start * 1.001 or runs > 0 and abs(most) < abs(schedule.base) * 1e-6:
            return
        # Where it overflows within the run, learning-rate-not-finite says so.
        if runs > 0 and schedule.first_bad(runs) or not math.isfinite(start):
            return
        if schedule.policy == "sigmoid":
            field, why = "lr_policy", 'lr_policy "sigmoid" always rises'
        elif "power" in schedule.reads and schedule.power < 0:
            field, why = "power", f"power {schedule.power:g} is negative"
        else:
            field, why = "gamma", f"gamma {schedule.gamma:g} is {'above 1' if schedule.gamma > 0 else 'negative'}"
        if field == "gamma" and 0 <= schedule.gamma <= 1:  # a warm-up that the fork's own fields ask for
            return
        how = f"grows from {start:g} to {abs(most):g} at iteration {iteration}" if runs > 0 else "grows"
        fixes: tuple[Fix, ...] = ()
        advice = "use a policy that falls, such as step" if field == "lr_policy" else f"check {field}"
        if field == "power":
            power = f"{-schedule.power:g}"
            advice = f"set power: {power}"
            fixes = fix(advice, UNSAFE, write(solver, field, value=power))
        elif field == "gamma" and schedule.policy in ("step", "multistep", "exp"):
            gamma = f"{1 / schedule.gamma:g}"
            advice = f"set gamma: {gamma}"
            fixes = fix(advice, UNSAFE, write(solver, field, value=gamma))
        harm, is_late = "training may diverge", False
        if field == "lr_policy" and runs > 0:
            begins = schedule.first(lambda rate: abs(rate) >= _NOTHING * abs(schedule.base), runs)
            is_late = begins is not None and begins[0] > _PART * runs
            if begins is not None and is_late:
                harm = f"next to nothing is learned before iteration {begins[0]}"
        text = f"{why}, so the learning rate {how} and {harm}; {advice}"
        # One that rises to base_lr is no higher than a fixed one. Who looks for a rate begins far below all usual ones.
        is_ordinary = field == "lr_policy" and not is_late
        is_search = schedule.policy == "exp" and 0 < runs <= _SEARCH and start <= _LOW and abs(most) <= _HIGH
        yield self.finding(solver.at(field), text, fixes=fixes, severity=INFO if is_ordinary or is_search else None)
