from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, CauseKind, Finding, Invalid
from caffelint.smoke.rule import CHANGE, DATA, DIFF, PARAM, Run, SmokeRule

from ._cause import too_large
from ._evidence import evidence
from ._example import CALM, NET, losses, project, spread
from ._learning import first_ratios, is_zero, largest_ratios, size, weights
from ._loss import fell
from ._numbers import number

_MOST, _LEAST = 0.5, 1e-7
_GONE, _WELL = 1e-8, 1e-6
_CLIPS, _LARGE = 1e-3, 1e3
_DEEP = NET.replace(
    'type: "Log" bottom: "fc" top: "log"',
    'type: "InnerProduct" bottom: "fc" top: "log" inner_product_param { num_output: 10 }',
)
_NORMALISED = NET.replace('type: "ReLU"', 'type: "BatchNorm"')
_BEGAN = [spread(-1, "fc", PARAM, "0", 0.2), spread(-1, "log", PARAM, "0", 0.2)]


class UpdateOutOfScale(SmokeRule):
    """The updates of weights are out of all proportion to the weights.

    ## Why is this bad?
    An update of about a thousandth of the weights learns well, one of a hundredth fast. One of more than half of them
    wipes out what the filler made, in one step; one below a ten-millionth is less than a float can add.

    ## Known problems
    Weights that start at 0 have no scale and are not judged; neither are biases, nor the statistics of BatchNorm, nor
    how large the first update of weights is that only BatchNorm or MVN reads, which undo any scale. A
    first update that was too large is not told where the loss fell well below chance, or to half, all the same. A rate
    that is still small, in a warm-up, is judged by the highest that the schedule comes to.

    ## References
    - sgd_solver.cpp, ComputeUpdateValue
    """

    code = "X111"
    name = "update-out-of-scale"
    severity = WARNING
    certainty = LIKELY
    VALID = [
        project(
            *losses(*CALM, rate=10), spread(-1, "fc", PARAM, "0", 0.2), spread(0, "fc", PARAM, "0", 1e-3, 0, CHANGE)
        ),
        project(
            *losses(*CALM),
            spread(-1, "fc", PARAM, "0", 0.2),
            spread(0, "fc", PARAM, "0", 3, 0, CHANGE),
            net=_NORMALISED,
        ),
    ]
    INVALID = [
        Invalid(
            project(
                *losses(*CALM, rate=10), spread(-1, "fc", PARAM, "0", 0.2), spread(0, "fc", PARAM, "0", 3, 0, CHANGE)
            ),
            span="layer",
            message='the first update of "fc" is 15 times its weights, a thousandth is usual: base_lr 10 with'
            " momentum 0.9 is most likely too high; try base_lr: 0.007",
        ),
        Invalid(
            project(
                *losses(*CALM, rate=10),
                *_BEGAN,
                spread(0, "fc", PARAM, "0", 1e-11, 0, CHANGE),
                spread(0, "log", PARAM, "0", 1e-3, 0, CHANGE),
                net=_DEEP,
            ),
            span="layer",
            message='the gradient all but vanishes on its way: the largest update of "fc" is 5e-11 of its weights, less'
            ' than a float can add, that of "log" 0.005',
        ),
        Invalid(
            project(
                *losses(*CALM, rate=10),
                spread(-1, "fc", PARAM, "0", 0.2),
                spread(-1, "fc", PARAM, "0", 1e-9, 0, DIFF),
                spread(0, "fc", PARAM, "0", 1e-12, 0, CHANGE),
            ),
            span="base_lr: 10",
            message='the largest update of all, that of "fc", is 5e-12 of its weights, less than a float can add: its'
            " gradient, 1e-09, has all but vanished",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        ratios = first_ratios(run)
        largest = max(ratios, key=lambda layer: ratios[layer], default="")
        ratio = ratios.get(largest, 0.0)
        if ratio > _MOST:
            if run.finite and fell(run):
                return
            cause = too_large(run)
            known = cause.known or run.known([largest])
            what = f'the first update of "{largest}" is {number(ratio)} times its weights, a thousandth is usual'
            place = run.place(largest)
            yield self.finding(
                cause.place if cause.kind == "weight-decay" and cause.place else place,
                f"{what}: {cause.why}",
                evidence=evidence(known=known),
                cause=cause._replace(what=what, known=known),
            )
            return
        if not run.finite:
            return
        best = largest_ratios(run)
        if all(is_zero(one.gradient) for one in weights(run)):
            return  # not-learning tells it
        if best and max(best.values()) < _LEAST:
            yield self._too_small(run, max(best, key=lambda layer: best[layer]), max(best.values()))
            return
        well = [layer for layer, value in best.items() if value > _WELL]
        gone = [layer for layer, value in best.items() if 0 < value < _GONE]
        if well and gone:
            what = "the gradient all but vanishes on its way"
            why = (
                f'the largest update of "{gone[0]}" is {number(best[gone[0]])} of its weights, less than a float can'
                f' add, that of "{well[-1]}" {number(best[well[-1]])}'
            )
            known = run.known([gone[0]])
            remedy = _what_vanishes(run, gone)
            yield self.finding(
                run.place(gone[0]),
                f"{what}: {why}",
                evidence=evidence(remedy, known=known),
                cause=Cause("fillers", what, f"{why}; {remedy}", LIKELY, known=known),
            )

    def _too_small(self, run: Run, layer: str, ratio: float) -> Finding:
        gradient = run.statistics(-1, layer, PARAM, 0, DIFF)
        message = run.solver.message
        kind: CauseKind = "rate"
        place, reason = run.solver.at("base_lr"), f"{run.rate_text} is far too low"
        if 0 < message.clip_gradients < _CLIPS:
            kind, place = "clip-gradients", run.solver.at("clip_gradients")
            reason = f"clip_gradients {message.clip_gradients:g} leaves next to nothing of any gradient"
        elif gradient is not None and size(gradient) < _LEAST:
            kind, reason = "fillers", f"its gradient, {number(size(gradient))}, has all but vanished"
        else:
            data = run.statistics(-1, layer, PARAM, 0, DATA)
            if data is not None and size(data) > _LARGE:
                kind, place = "fillers", run.place(layer)
                reason = f"its weights, {number(size(data))}, are far too large: see its filler"
        what = f'the largest update of all, that of "{layer}", is {number(ratio)} of its weights, less than a float can'
        what += " add"
        known = run.known([layer])
        cause = Cause(kind, what, reason, LIKELY, known=known)
        return self.finding(place, f"{what}: {reason}", evidence=evidence(known=known), cause=cause)


def _what_vanishes(run: Run, layers: list[str]) -> str:
    """What lies between, and what to do."""
    squashing = [
        layer.name for layer in run.built[0].layers if layer.type in ("Sigmoid", "TanH") and layer.need_backward
    ]
    reason = "use fillers that keep its size (xavier, msra), or BatchNorm between the layers"
    if len(squashing) > 1:
        reason = (
            f"{len(squashing)} layers of Sigmoid or TanH take a share of it each: use ReLU, or BatchNorm; " + reason
        )
    also = (
        f'so it is with "{layers[1]}"' + (f" and {len(layers) - 2} more" if len(layers) > 2 else "")
        if layers[1:]
        else ""
    )
    return "; ".join(part for part in (reason, also) if part)
