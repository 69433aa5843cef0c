from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import DISPLAY, ERROR, LIKELY, WARNING, Cause, Finding, Fix, Invalid, replace
from caffelint.smoke.rule import BuiltLayer, Iteration, Run, SmokeRule

from ._cause import too_large
from ._evidence import evidence
from ._example import CALM, NET, losses, project
from ._loss import NEVER_NEGATIVE, begins, clamped, ends, rose
from ._numbers import number

_WITHOUT_END = 100.0


class Diverging(SmokeRule):
    """The loss grew over the run in place of falling.

    ## Why is this bad?
    It ends in inf and nan, or at 87.3365 = -log(FLT_MIN), where SoftmaxWithLoss cuts off the log of a probability that
    has become 0. Most often the rate is too high, for one layer perhaps (lr_mult), or the input or the targets are far
    too large. A loss that falls below 0 without end has targets that it is not made for.

    ## Known problems
    A run of some dozen iterations may rise before it falls, with warm-up for one. With data that was made up it is a
    warning: noise of the full range drives some nets harder than images do.

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
            message='the loss fell below 0, from -20 to -4e+06, which "loss" (SoftmaxWithLoss) never does with what it'
            " is made for: what it reads lies outside of that",
        ),
        Invalid(
            project(
                *(Iteration(number, 0.1, -value, {"loss": value}) for number, value in enumerate((2.3, 9, 20, 44))),
                net=NET.replace('type: "SoftmaxWithLoss"', 'type: "SoftmaxWithLoss" loss_weight: -1'),
            ),
            span="loss_weight: -1",
            message='the loss fell from -2.3 to -44: loss_weight -1 makes that of "loss" grow, so the net learns the'
            " opposite; take the sign away",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        values = [event.loss for event in run.iterations]
        finite = [value for value in values if math.isfinite(value)]
        if len(finite) < 2:
            return
        last = values[-1] if not math.isnan(values[-1]) else finite[-1]
        if ends(run) < 0 and last < 0:
            yield from self._below_zero(run, last)
        elif rose(run):
            cause = too_large(run)
            clamp = clamped(run)
            clamped_at = f"87.3365 is -log(FLT_MIN): {clamp} have a probability of 0" if clamp else ""
            what = f"the loss rose from {number(begins(run))} to {number(last)} in {len(values)} iterations"
            place = cause.place or run.solver.at("base_lr")
            better = cause.suggested
            written = better is not None and not better.layer and run.solver.has(better.field)
            yield self.finding(
                place,
                f"{what}: {cause.why}",
                severity=WARNING if run.synthetic else None,
                evidence=evidence(clamped_at, known=cause.known),
                fixes=(Fix(better.text, DISPLAY, (replace(place, better.text),)),) if better and written else (),
                cause=cause._replace(what=what, why=f"{cause.why}; {clamped_at}" if clamp else cause.why),
            )

    def _below_zero(self, run: Run, last: float) -> Iterator[Finding]:
        """A loss that cannot be negative is, or is to grow; any other, as that of a critic, may fall for a while."""
        first = begins(run)
        event = run.iterations[-1]
        falls = abs(last) > 2 * abs(first) + 1
        for layer in run.loss_layers:
            value = event.losses.get(layer.tops[0].name, 0.0)
            weight = layer.loss_weights[0]
            if layer.type not in NEVER_NEGATIVE:
                continue
            of = f'"{layer.name}" ({layer.type})'
            if weight < 0 < value and falls:
                what = f"the loss fell from {number(first)} to {number(last)}"
                why = f'loss_weight {weight:g} makes that of "{layer.name}" grow, so the net learns the opposite; take'
                why += " the sign away"
                place = run.place(layer.name, 0, "loss_weight")
                known = run.known(rules=("suspicious-loss-weight",))
                cause = Cause("loss-weight", what, why, known=known)
                yield self.finding(place, f"{what}: {why}", evidence=evidence(known=known), cause=cause)
                return
            if weight > 0 > value:
                what = f"the loss fell below 0, from {number(first)} to {number(last)}, which {of} never does with what"
                what += " it is made for"
                why = "what it reads lies outside of that"
                takes = _what_it_takes(layer)
                cause = Cause("data", what, f"{why}; {takes}" if takes else why)
                yield self.finding(run.place(layer.name), f"{what}: {why}", evidence=takes, cause=cause)
                return
        if abs(last) > _WITHOUT_END * (abs(first) + 1):
            name = run.loss_layers[0].name if run.loss_layers else ""
            what = f"the loss fell below 0 without end, from {number(first)} to {number(last)}"
            why = "nothing holds it: bound what it is made of, or give it another sign"
            place = run.place(name) if name else run.solver.at()
            yield self.finding(place, what, evidence=why, cause=Cause("loss", what, why, LIKELY))


def _what_it_takes(layer: BuiltLayer) -> str:
    return {
        "SigmoidCrossEntropyLoss": "it has no lower bound where targets lie outside [0, 1]: scale them",
        "MultinomialLogisticLoss": "it takes the log of probabilities: put a Softmax before it, or use SoftmaxWithLoss",
    }.get(layer.type, "")
