from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import ERROR, Cause, Finding, Invalid
from caffelint.smoke.rule import RATE, NonFinite, Run, SmokeRule

from ._evidence import worded
from ._example import CALM, losses, project


class NonFiniteRate(SmokeRule):
    """The learning rate itself is nan or infinite.

    ## Why is this bad?
    One update with such a rate makes every weight nan. The schedule alone is the cause: poly without max_iter, or past
    it, a gamma that makes it grow, a base_lr that is not a number. `caffelint lr` shows the rate of each iteration.

    ## References
    - sgd_solver.cpp, GetLearningRate
    """

    code = "X103"
    name = "non-finite-rate"
    severity = ERROR
    VALID = [project(*losses(*CALM))]
    INVALID = [
        Invalid(
            project(
                NonFinite(0, 0, RATE, "", "", "", 1, 0, 1, 0, 0, math.nan, {}),
                solver='net: "n.prototxt"\nbase_lr: 0.1 lr_policy: "poly" power: 1\n',
            ),
            span='lr_policy: "poly"',
            message='lr_policy "poly": the rate is nan in iteration 0, so the update makes every weight nan; check'
            " power and max_iter",
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(NonFinite):
            if event.where == RATE:
                policy = run.solver.message.lr_policy
                rules = ("poly-without-max-iter", "learning-rate-not-finite", "missing-lr-parameter")
                known = run.known(rules=rules)
                what = f'lr_policy "{policy}": the rate is {event.rate:g} in iteration {event.iteration}, so the update'
                what += f" makes every weight nan; check {' and '.join(run.solver.schedule.reads)}"
                yield worded(self, run.solver.at("lr_policy"), Cause("schedule", what, known=known))
