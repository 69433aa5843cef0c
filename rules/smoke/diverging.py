from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import DISPLAY, ERROR, LIKELY, WARNING, Cause, Finding, Fix, Invalid, replace, title
from caffelint.smoke.rule import Iteration, Run, SmokeRule, begins, clamped, cure, ends, rose, runs_away

from ._advice import advice
from ._cause import came_of, too_large
from ._evidence import worded
from ._example import CALM, NET, losses, project
from ._numbers import number

_WITHOUT_END = 100.0


class Diverging(SmokeRule):
    """The loss grows over the run instead of falling.

    ## Why is this bad?
    It ends in inf and nan, or at 87.3365 = -log(FLT_MIN), where SoftmaxWithLoss clamps the log of a probability that
    has become 0. Most often the rate is too high, perhaps for one layer (lr_mult), or the input or the targets are far
    too large. A loss that keeps falling below 0 has targets that it is not made for.

    ## Known problems
    The loss of a few dozen iterations may rise before it falls, for example with warm-up. With synthetic data this is
    a warning: noise of the full range drives some nets harder than images do.

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
            message="the loss rises from 2.3 to 71.1 in 7 iterations: base_lr 10 with momentum 0.9 is most likely too"
            " high; try base_lr: 1",
        ),
        Invalid(
            project(*losses(-20.0, -5e4, -2e6, -4e6)),
            span="layer",
            message='SoftmaxWithLoss "loss": the loss falls from -20 to -4e+06, but valid input never makes it'
            " negative",
        ),
        Invalid(
            project(
                *(Iteration(number, 0.1, -value, {"loss": value}) for number, value in enumerate((2.3, 5, 9, 16))),
                net=NET.replace('type: "SoftmaxWithLoss"', 'type: "SoftmaxWithLoss" loss_weight: -1'),
            ),
            span="loss_weight: -1",
            message="the weighted loss falls from -2.3 to -16: with loss_weight -1, training increases the loss of"
            ' SoftmaxWithLoss "loss", so the net learns the opposite; remove the minus sign',
        ),
        Invalid(
            project(
                *(Iteration(number, 0.1, -value, {"loss": value}) for number, value in enumerate((2.3, 9, 20, 44))),
                net=NET.replace('type: "SoftmaxWithLoss"', 'type: "SoftmaxWithLoss" loss_weight: -1'),
            ),
            span="loss_weight: -1",
            message="the weighted loss falls from -2.3 to -44: with loss_weight -1, training increases"
            ' SoftmaxWithLoss "loss", to 44 by then; remove the minus sign',
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
            clamp = "" if cause.kind == "python-layer" else clamp  # whose wrong gradient it does not come of
            clamped_at = f"87.3365 is -log(FLT_MIN), so {clamp} have a probability of 0" if clamp else ""
            what = f"the loss rises from {number(begins(run))} to {number(last)} in {len(values)} iterations"
            place = cause.place or run.solver.at("base_lr")
            better = cause.suggested
            written = better is not None and not better.layer and run.solver.has(better.field)
            yield worded(
                self,
                place,
                cause._replace(what=what),
                clamped_at,
                severity=WARNING if run.synthetic else None,
                fixes=(Fix(f"set {better.text}", DISPLAY, (replace(place, better.text),)),)
                if better and written
                else (),
            )

    def _below_zero(self, run: Run, last: float) -> Iterator[Finding]:
        """A loss that cannot be negative is, or has to grow; any other, like that of a critic, may fall for a while."""
        first = begins(run)
        event = run.iterations[-1]
        best = cure(run)
        falls = abs(last) > 2 * abs(first) + 1
        for layer in run.loss_layers:
            value = event.losses.get(layer.tops[0].name, 0.0)
            weight = layer.loss_weights[0]
            if layer is runs_away(run):
                what = f"the weighted loss falls from {number(first)} to {number(last)}"
                why = f"with loss_weight {weight:g}, training increases {title(layer)}, to {number(value)} by then"
                cause = Cause("loss-weight", what, why, LIKELY)
                cause = came_of(run, cause) if best else cause._replace(why=f"{why}; remove the minus sign")
                yield worded(self, run.place(layer.name, 0, "loss_weight"), cause)
                return
            if not layer.never_negative:
                continue
            if weight < 0 < value and falls:
                what = f"the weighted loss falls from {number(first)} to {number(last)}"
                why = f"with loss_weight {weight:g}, training increases the loss of {title(layer)}, so the net learns"
                why += " the opposite; remove the minus sign"
                known = run.known(rules=("suspicious-loss-weight",))
                cause = Cause("loss-weight", what, why, known=known)
                yield worded(self, run.place(layer.name, 0, "loss_weight"), cause)
                return
            if weight > 0 > value:
                what = f"{title(layer)}: the loss falls from {number(first)} to {number(last)}, but valid input never"
                what += " makes it negative"
                if best is not None and best.hypothesis.kind not in ("rate", "input-scale"):
                    yield worded(self, best.hypothesis.place, too_large(run)._replace(what=what))
                else:
                    yield worded(self, run.place(layer.name), Cause("data", what), advice(layer.type).negative.text)
                return
        if abs(last) > _WITHOUT_END * (abs(first) + 1):
            name = run.loss_layers[0].name if run.loss_layers else ""
            what = f"the loss falls without bound, from {number(first)} to {number(last)}"
            why = "nothing bounds it below; bound what it is made of, or change its sign"
            place = run.place(name) if name else run.solver.at()
            yield worded(self, place, Cause("loss", what, "", LIKELY), why)
