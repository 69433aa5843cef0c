from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Finding, Invalid, SmokeRule
from caffelint.smoke.run import CHANGE, DIFF, PARAM, Run

from ._example import CALM, losses, project, spread
from ._learning import first_ratios, size
from ._words import number

_MOST, _LEAST = 0.5, 1e-7


class UpdateOutOfScale(SmokeRule):
    """The updates of weights are out of all proportion to the weights.

    ## Why is this bad?
    An update of about a thousandth of the weights learns well, one of a hundredth fast. One of more than half of them
    wipes out what the filler made, in one step; one below a ten-millionth is less than a float can add.

    ## Known problems
    Weights that start at 0 have no scale and are not judged; neither are biases, nor the statistics of BatchNorm.

    ## References
    - sgd_solver.cpp, ComputeUpdateValue
    """

    code = "X111"
    name = "update-out-of-scale"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(*losses(*CALM), spread(-1, "fc", PARAM, "0", 0.2), spread(0, "fc", PARAM, "0", 1e-3, 0, CHANGE)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), spread(-1, "fc", PARAM, "0", 0.2), spread(0, "fc", PARAM, "0", 3, 0, CHANGE)),
            span="layer",
            message='the first update of "fc" is 15 times its weights; a thousandth is usual: base_lr 10 with'
            " momentum 0.9 is too high for it",
        ),
        Invalid(
            project(
                *losses(*CALM),
                spread(-1, "fc", PARAM, "0", 0.2),
                spread(-1, "fc", PARAM, "0", 1e-9, 0, DIFF),
                spread(0, "fc", PARAM, "0", 1e-12, 0, CHANGE),
            ),
            span="base_lr: 10",
            message='the largest first update, that of "fc", is 5e-12 of its weights, less than a float can add: its'
            " gradient, 1e-09, has all but vanished",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        ratios = first_ratios(run)
        if not ratios:
            return
        largest = max(ratios, key=lambda layer: ratios[layer])
        ratio = ratios[largest]
        if ratio > _MOST:
            yield self.finding(
                run.place(largest),
                f'the first update of "{largest}" is {number(ratio)} times its weights; a thousandth is usual:'
                f" {run.rate_text} is too high for it",
                evidence=run.explained([largest], ("high-base-lr", "dense-loss-unnormalized", "unscaled-input")),
            )
        elif ratio < _LEAST:
            gradient = run.statistics(-1, largest, PARAM, 0, DIFF)
            reason = f"{run.rate_text} is far too low"
            if gradient is not None and size(gradient) < _LEAST:
                reason = f"its gradient, {number(size(gradient))}, has all but vanished"
            yield self.finding(
                run.solver.at("base_lr"),
                f'the largest first update, that of "{largest}", is {number(ratio)} of its weights, less than a float'
                f" can add: {reason}",
            )
