from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from caffelint.lint import DISPLAY, ERROR, LIKELY, Finding, Fix, Invalid, SmokeRule, replace
from caffelint.smoke.run import Run

from ._example import CALM, losses, project
from ._learning import first_ratios
from ._words import number

_TIMES = 3.0
_TAIL = 5
_CLAMPED = 87.3365
_USUAL = 0.01


class Diverging(SmokeRule):
    """The loss grew over the run in place of falling.

    ## Why is this bad?
    It ends in inf and nan, or at 87.3365 = -log(FLT_MIN), where SoftmaxWithLoss cuts off the log of a probability that
    has become 0. Most often the rate is too high, for one layer perhaps (lr_mult), or the input or the targets are far
    too large. A loss that falls below 0 without end has targets that it is not made for.

    ## Known problems
    A run of some dozen iterations may rise before it falls, with warm-up for one.

    ## References
    - BVLC/caffe issues 409, 4449 and 6047; softmax_loss_layer.cpp, Forward_cpu
    """

    code = "X104"
    name = "diverging"
    severity = ERROR
    certainty = LIKELY
    VALID = [project(*losses(*CALM)), project(*losses(0.5, 0.9, 0.7, 0.6))]
    INVALID = [
        Invalid(
            project(*losses(2.3, 16.1, 70.2, 71.8, 70.9, 72.0, 71.1)),
            span="base_lr: 10",
            message="the loss rose from 2.3 to 71.1 in 7 iterations: base_lr 10 with momentum 0.9 is most likely too"
            " high; try base_lr: 1",
        ),
        Invalid(
            project(*losses(-20.0, -5e4, -2e6, -4e6)),
            span="layer",
            message="the loss fell below 0 without end, from -20 to -4e+06: its targets lie outside of what it is made"
            " for",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        values = [event.loss for event in run.iterations]
        finite = [value for value in values if math.isfinite(value)]
        if len(finite) < 2:
            return
        first, tail = finite[0], finite[1:][-_TAIL:]
        size = median(abs(value) for value in tail)
        last = values[-1] if not math.isnan(values[-1]) else tail[-1]
        if min(finite[-1], tail[-1]) < 0 and finite[-1] < 2 * min(first, 0) and last < 0:
            yield self._below_zero(run, first, last)
            return
        if size <= _TIMES * abs(first) or size < abs(first) + 0.5:
            return
        lower = f"base_lr: {run.solver.message.base_lr * _share(run):.1g}"
        place = run.solver.at("base_lr")
        evidence = ""
        if abs(size - _CLAMPED) < 0.01:
            evidence = "87.3365 is -log(FLT_MIN): the probability of the right class is 0. "
        known = run.explained(
            rules=("high-base-lr", "dense-loss-unnormalized", "learning-rate-grows", "unscaled-input")
        )
        reason = f"{run.rate_text} is most likely too high; try {lower}"
        if abs(run.iterations[-1].rate) > 3 * abs(run.iterations[0].rate) > 0:
            first_rate, last_rate = run.iterations[0].rate, run.iterations[-1].rate
            reason = f"the rate grew from {number(first_rate)} to {number(last_rate)}; make it fall"
        yield self.finding(
            place,
            f"the loss rose from {number(first)} to {number(last)} in {len(values)} iterations: {reason}",
            evidence=(evidence + (f"see {known}" if known else "")).strip(),
            fixes=(Fix(lower, DISPLAY, (replace(place, lower),)),) if place.text.startswith("base_lr") else (),
        )

    def _below_zero(self, run: Run, first: float, last: float) -> Finding:
        layers = run.loss_layers
        name = layers[0].name if layers else ""
        evidence = "a loss of probabilities is never negative"
        if layers and layers[0].type == "SigmoidCrossEntropyLoss":
            evidence = "SigmoidCrossEntropyLoss has no lower bound where targets lie outside [0, 1]: scale them"
        return self.finding(
            run.place(name) if name else run.solver.at(),
            f"the loss fell below 0 without end, from {number(first)} to {number(last)}: its targets lie outside of"
            " what it is made for",
            evidence=evidence,
        )


def _share(run: Run) -> float:
    """The share of the rate to try: a tenth, or what makes the largest first update a hundredth of its weights."""
    ratios = first_ratios(run)
    return min(0.1, _USUAL / max(ratios.values())) if ratios else 0.1
