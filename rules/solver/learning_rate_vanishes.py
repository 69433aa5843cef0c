from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import (
    INFO,
    UNSAFE,
    WARNING,
    Finding,
    Fix,
    Invalid,
    Solver,
    SolverRule,
    early_drops,
    fix,
    slower,
    usual_drops,
    write,
)

from ._endless import is_endless, stepped_by

_SMALL = 0.99e-6
"""As a share of the first rate; six drops by 0.1 do not fall below it."""

_LONG = 0.9
"""As a share of the run; `poly` rightly reaches 0 at its end."""

_EARLY = 0.25
"""As a share of the run: who lets the rate drop so late stops the run by hand."""

_TINY = 0.005
"""A gamma of `inv` or `exp` by its size: a drop mostly keeps a tenth of the rate, and never so little."""

_AT_ONCE = 100
"""Iterations from one drop to the next: nobody trains for so few."""

_LITTLE, _SHORT = 1.01e-3, 0.01
"""As shares of the highest rate, and of the run: no schedule is meant to end before the run has really begun."""

_LAST_DROP = 0.05
"""As a share of the run: of 180 solvers with stepvalues, none has its last one before a twelfth of it."""


class LearningRateVanishes(SolverRule):
    """The learning rate falls to 0, or below a millionth of its start, long before the end, or nearly at once by a lot.

    ## Why is this bad?
    The rest of the run changes next to nothing; a slower decay makes use of that time, fewer iterations save it. A
    float holds no rate below 1.4e-45. `sigmoid` starts this low where stepsize is far above max_iter.

    Where all drops come in the first twentieth of the run and leave a hundredth of the rate, they may be epochs, as
    other frameworks count: Caffe counts iterations.

    ## Example
    ```
    base_lr: 0.01 lr_policy: "exp" gamma: 0.9 max_iter: 100000
    ```
    Use instead:
    ```
    base_lr: 0.01 lr_policy: "exp" gamma: 0.9999 max_iter: 100000
    ```

    ## Known problems
    Many runs are stopped by hand, with a max_iter that stands for no end. Where drops at fixed iterations by a usual
    gamma end after a quarter of the run or later, max_iter is a million or ten million or leaves room for a thousand
    snapshots, or a script of the project steps a solver itself, it is an info.

    ## Fix safety
    Unsafe: the value makes the rate last for the whole run, and is not searched for.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "S105"
    name = "learning-rate-vanishes"
    severity = WARNING
    VALID = [
        'base_lr: 0.01 lr_policy: "exp" gamma: 0.9999 max_iter: 100000',
        'base_lr: 0.01 lr_policy: "poly" power: 1 max_iter: 100000',
        'base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000 max_iter: 7000',
        'base_lr: 0.01 lr_policy: "step" stepsize: 1000 max_iter: 7000',
        'base_lr: 0.01 lr_policy: "multistep" gamma: 0.1 stepvalue: 200 stepvalue: 400 stepvalue: 600 max_iter: 10000',
        'base_lr: 0.01 lr_policy: "multistep" gamma: 0.1 stepvalue: 40 max_iter: 1600',
    ]
    INVALID = [
        Invalid(
            'base_lr: 0.01 lr_policy: "exp" gamma: 0.9 max_iter: 100000',
            span="gamma: 0.9",
            message="the learning rate falls below a millionth of its initial 0.01 at iteration 132, and to 0 at"
            " iteration 944, so the remaining 99% of 100000 iterations change next to nothing; try gamma: 0.999954",
            fixed='base_lr: 0.01 lr_policy: "exp" gamma: 0.999954 max_iter: 100000',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "sigmoid" gamma: 2 stepsize: 1000 max_iter: 100',
            span="stepsize: 1000",
            message="the learning rate stays below a millionth of base_lr 0.01 in all 100 iterations, so training"
            " changes next to nothing; try stepsize: 1",
            fixed='base_lr: 0.01 lr_policy: "sigmoid" gamma: 2 stepsize: 1 max_iter: 100',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000 max_iter: 10000',
            span="max_iter: 10000",
            message="the learning rate falls below a millionth of its initial 0.01 at iteration 7000, so the remaining"
            " 30% of 10000 iterations change next to nothing; set max_iter: 7000, or let the rate drop later with"
            " stepsize: 3400, a third of the run",
        ),
        # The gamma of `inv`.
        Invalid(
            'base_lr: 0.01 lr_policy: "step" gamma: 0.0001 stepsize: 1000 max_iter: 5000',
            span="gamma: 0.0001",
            message="the learning rate falls below a millionth of its initial 0.01 at iteration 2000, so the remaining"
            " 60% of 5000 iterations change next to nothing; try gamma: 0.1, as is usual for such drops",
            fixed='base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 1000 max_iter: 5000',
        ),
        # By a tenth at each 1000 iterations, it would vanish again.
        Invalid(
            'base_lr: 0.01 lr_policy: "step" gamma: 0.001 stepsize: 1000 max_iter: 450000',
            span="gamma: 0.001",
            message="the learning rate falls below a millionth of its initial 0.01 at iteration 3000, and to 0 at"
            " iteration 15000, so the remaining 99% of 450000 iterations change next to nothing; try gamma: 0.1 and"
            " stepsize: 150000, as is usual for such drops",
            fixed='base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 150000 max_iter: 450000',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 3 max_iter: 120',
            span="stepsize: 3",
            message="the learning rate falls below a millionth of its initial 0.01 at iteration 21, so the remaining"
            " 82% of 120 iterations change next to nothing; try stepsize: 40",
            fixed='base_lr: 0.01 lr_policy: "step" gamma: 0.1 stepsize: 40 max_iter: 120',
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "multistep" gamma: 0.1 stepvalue: 1 stepvalue: 2 stepvalue: 3 max_iter: 1000',
            span="stepvalue: 1",
            message="the learning rate falls from 0.01 to 1e-05 by iteration 3 of 1000, so the net learns next to"
            " nothing; check gamma and stepvalue",
        ),
        Invalid(
            'base_lr: 0.01 lr_policy: "multistep" gamma: 0.1 stepvalue: 40 stepvalue: 60 stepvalue: 70 max_iter: 1600',
            span="stepvalue: 40",
            message="the learning rate falls from 0.01 to 1e-05 by iteration 70, so the remaining 96% of 1600"
            " iterations change little; stepvalue counts iterations, so if these are epochs, multiply them by the"
            " iterations of one",
        ),
    ]

    def check(self, solver: Solver) -> Iterator[Finding]:
        schedule, runs = solver.schedule, solver.message.max_iter
        # Without gamma the rate is 0 at the first drop: missing-lr-parameter says so.
        if schedule.problem or runs <= 0 or "gamma" in schedule.reads and schedule.gamma == 0:
            return
        start = abs(schedule.rate(0))
        most = max(abs(rate) for _, rate in schedule.extremes(runs))
        if most < abs(schedule.base) * _SMALL:
            text = f"the learning rate stays below a millionth of base_lr {schedule.base:g} in all {runs} iterations"
            better = _Better(solver, runs)
            yield self.finding(
                better.place, f"{text}, so training changes next to nothing; {better.advice}", fixes=better.fixes
            )
            return
        found = schedule.first(lambda rate: abs(rate) < start * _SMALL, runs)
        if not found or found[0] > _LONG * runs:
            yield from self._at_once(solver, most, runs)
            return
        zero = schedule.first(lambda rate: rate == 0, runs)
        to_zero = f", and to 0 at iteration {zero[0]}" if zero and zero[0] < _LONG * runs else ""
        left = min(99, round(100 - 100 * found[0] / runs))
        # Drops at fixed iterations are taken as meant, the run as too long for them, unless they follow at once.
        drops = schedule.policy in ("step", "multistep")
        ends = drops and not (schedule.policy == "step" and schedule.stepsize < _AT_ONCE)
        slip = ends and 0 < abs(schedule.gamma) < _TINY and solver.has("gamma")
        stopped = ends and not slip and (found[0] > _EARLY * runs or is_endless(solver))
        better = _Better(solver, runs)
        later = f" with {better.text}, a third of the run" if schedule.policy == "step" and better.text else ""
        advice = f"set max_iter: {found[0]}, or let the rate drop later{later}" if ends else better.advice
        place, fixes = solver.at("max_iter") if ends else better.place, () if ends else better.fixes
        if slip:
            usual = usual_drops(solver.message, runs)
            place, text = solver.at("gamma"), " and ".join(one.text for one in usual)
            advice = f"try {text}, as is usual for such drops"
            edits = [write(solver, one.field, value=one.text.partition(": ")[2]) for one in usual]
            fixes = fix(f"set {text}", UNSAFE, *edits)
        yield self.finding(
            place,
            f"the learning rate falls below a millionth of its initial {start:g} at iteration {found[0]}{to_zero},"
            f" so the remaining {left}% of {runs} iterations change next to nothing; {advice}",
            severity=INFO if stopped or stepped_by(solver) else None,
            evidence=stepped_by(solver),
            fixes=() if stopped or stepped_by(solver) else fixes,
        )

    def _at_once(self, solver: Solver, most: float, runs: int) -> Iterator[Finding]:
        """A rate of which next to nothing is left after the first hundredth of the run."""
        schedule, last = solver.schedule, int(_SHORT * runs)
        rest = [schedule.rate(last), *(rate for at, rate in schedule.extremes(runs) if at > last)]
        if last < 1 or not max(map(abs, rest)) < most * _LITTLE:
            yield from self._early(solver, runs)
            return
        at, rate = schedule.first(lambda rate: abs(rate) < most * _LITTLE, runs) or (last, rest[0])
        better = _Better(solver, runs)
        yield self.finding(
            better.place,
            f"the learning rate falls from {most:g} to {rate:g} by iteration {at} of {runs}, so the net learns next to"
            f" nothing; {better.advice}",
            fixes=better.fixes,
        )

    def _early(self, solver: Solver, runs: int) -> Iterator[Finding]:
        """Stepvalues that are all reached when the run has hardly begun."""
        early = early_drops(solver.message, _LAST_DROP)
        if early is None or early.field != "stepvalue":
            return
        left = min(99, round(100 - 100 * early.at / runs))
        yield self.finding(
            solver.at(early.field, 0),
            f"the learning rate falls from {early.most:g} to {early.rate:g} by iteration {early.at}, so the remaining"
            f" {left}% of {runs} iterations change little; stepvalue counts iterations, so if these are epochs,"
            " multiply them by the iterations of one",
            severity=INFO if is_endless(solver) or stepped_by(solver) else None,
            evidence=stepped_by(solver),
        )


class _Better:
    """What to write so that the rate lasts, and where: the field of the policy that has to change."""

    def __init__(self, solver: Solver, runs: int) -> None:
        better, reads = slower(solver.message, runs), solver.schedule.reads
        written = [field for field in reads if solver.has(field)]
        self.fixes: tuple[Fix, ...] = ()
        self.advice, self.text = f"check {' and '.join(reads)}", ""
        self.place = solver.at(written[-1] if written else "lr_policy")
        if better is not None:
            self.advice, self.text, self.place = f"try {better.text}", better.text, solver.at(better.field)
            value = better.text.partition(": ")[2]
            self.fixes = fix(f"set {better.text}", UNSAFE, write(solver, better.field, value=value))
