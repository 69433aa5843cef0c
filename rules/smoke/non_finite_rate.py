from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import ERROR, Cause, Finding, Invalid
from caffelint.smoke.rule import RATE, NonFinite, Run, SmokeRule

from ._evidence import evidence
from ._example import CALM, losses, project


class NonFiniteRate(SmokeRule):
    """The learning rate itself was nan or infinite.

    ## Why is this bad?
    One update with such a rate makes every weight nan. It comes of the schedule alone: poly without max_iter, or past
    it, a growing gamma, a base_lr that is no number. `caffelint lr` shows the rate of each iteration.

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
            message='the rate of iteration 0 is nan: lr_policy "poly" with the numbers of this solver',
        )
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        for event in run.all(NonFinite):
            if event.where == RATE:
                policy = run.solver.message.lr_policy
                rules = ("poly-without-max-iter", "learning-rate-not-finite", "missing-lr-parameter")
                known = run.known(rules=rules)
                what = f"the rate of iteration {event.iteration} is {event.rate:g}"
                why = f'lr_policy "{policy}" with the numbers of this solver'
                yield self.finding(
                    run.solver.at("lr_policy"),
                    f"{what}: {why}",
                    evidence=evidence(known=known),
                    cause=Cause("schedule", what, why, known=known),
                )
