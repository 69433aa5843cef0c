from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import LIKELY, WARNING, Cause, CauseKind, Finding, Invalid, listed
from caffelint.smoke.rule import (
    CHANGE,
    CLEARLY,
    DATA,
    DIFF,
    PARAM,
    Run,
    SmokeRule,
    beats_constant,
    cure,
    fell,
    first_ratios,
    is_zero,
    largest_ratios,
    limits,
    progress,
    rose,
    size,
    tests_well,
    weights,
)

from ._cause import too_large
from ._evidence import subject, worded
from ._example import CALM, NET, losses, project, spread
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
    """The updates of weights are far too large or too small for the weights.

    ## Why is this bad?
    Updates of about a thousandth of the weights learn well, those of a hundredth fast. An update of more than half of
    the weights wipes out their initial values in one step; one below a ten-millionth is too small for a float to add.

    ## Known problems
    Weights that start at 0 have no scale and are not judged; nor are biases, the statistics of BatchNorm, or the first
    update of weights that only BatchNorm or MVN reads, which undo any scale. A first update that is too large is not
    reported if the loss still fell below chance, or to half. While the rate is small, in a warm-up, the highest
    rate of the schedule counts.

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
            message='InnerProduct "fc": the first update is 15 times the weights (0.001 is usual): base_lr 10 with'
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
            message='InnerProduct "fc": the gradient vanishes: its largest update is 5e-11 times its weights, too'
            ' small to change a float32, but that of "log" is 0.005 times',
        ),
        Invalid(
            project(
                *losses(*CALM, rate=10),
                spread(-1, "fc", PARAM, "0", 0.2),
                spread(-1, "fc", PARAM, "0", 1e-9, 0, DIFF),
                spread(0, "fc", PARAM, "0", 1e-12, 0, CHANGE),
            ),
            span="base_lr: 10",
            message='InnerProduct "fc": the largest update of all layers is 5e-12 times the weights, too small to'
            " change a float32: its gradient of 1e-09 has vanished; use xavier or msra fillers",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        ratios = first_ratios(run)
        largest = max(ratios, key=lambda layer: ratios[layer], default="")
        ratio = ratios.get(largest, 0.0)
        if ratio > _MOST:
            learns = fell(run) or tests_well(run) or progress(run) < CLEARLY and cure(run) is None
            if rose(run) or run.finite and learns:
                return  # what comes of it, diverging tells
            cause = too_large(run)
            if run.finite and run.tried and cause.kind == "unknown":
                return  # smaller updates were tried, and nothing was learned by them either
            known = cause.known or run.known([largest])
            what = f"{subject(run, largest)}: the first update is {number(ratio)} times the weights (0.001 is usual)"
            place = run.place(largest)
            at = cause.place if cause.kind == "weight-decay" and cause.place else place
            yield worded(self, at, cause._replace(what=what, known=known))
            return
        if not run.finite:
            return
        best = largest_ratios(run)
        if not run.loss_layers or all(is_zero(one.gradient) for one in weights(run)):
            return  # not-learning reports it
        if best and max(best.values()) < _LEAST:
            yield self._too_small(run, max(best, key=lambda layer: best[layer]), max(best.values()))
            return
        well = [layer for layer, value in best.items() if value > _WELL]
        gone = [layer for layer, value in best.items() if 0 < value < _GONE]
        if well and gone and not beats_constant(run):
            what = f"{subject(run, gone[0])}: the gradient vanishes"
            why = (
                f"its largest update is {number(best[gone[0]])} times its weights, too small to change a float32, but"
                f' that of "{well[-1]}" is {number(best[well[-1]])} times'
            )
            cause = Cause("fillers", what, why, LIKELY, known=run.known([gone[0]]))
            yield worded(self, run.place(gone[0]), cause, *_what_vanishes(run, gone))

    def _too_small(self, run: Run, layer: str, ratio: float) -> Finding:
        gradient = run.statistics(-1, layer, PARAM, 0, DIFF)
        message = run.solver.message
        kind: CauseKind = "rate"
        place, reason = run.solver.at("base_lr"), f"{run.rate_text} is far too low; raise it"
        if 0 < message.clip_gradients < _CLIPS:
            kind, place = "clip-gradients", run.solver.at("clip_gradients")
            reason = f"clip_gradients {message.clip_gradients:g} scales every gradient to almost nothing; raise it"
        elif gradient is not None and size(gradient) < _LEAST:
            kind = "fillers"
            reason = f"its gradient of {number(size(gradient))} has vanished; use xavier or msra fillers"
        else:
            data = run.statistics(-1, layer, PARAM, 0, DATA)
            if data is not None and size(data) > _LARGE:
                kind, place = "fillers", run.place(layer)
                reason = f"its weights of {number(size(data))} are far too large; check its filler"
        what = (
            f"{subject(run, layer)}: the largest update of all layers is {number(ratio)} times the weights, too small"
        )
        what += " to change a float32"
        if (cause := too_large(run)).kind == "schedule":
            return worded(self, cause.place or place, cause._replace(what=what, certainty=LIKELY))
        return worded(self, place, Cause(kind, what, reason, LIKELY, known=run.known([layer])))


def _what_vanishes(run: Run, layers: list[str]) -> list[str]:
    """What takes from the gradient on its way, what to do, and which other layers get nothing either."""
    squashing = [
        layer for layer in run.built[0].layers if layer.need_backward and not layer.rectifies and limits(layer)
    ]
    remedies = "fillers that keep the size of values (xavier, msra), or BatchNorm between the layers"
    advice = f"use {remedies}"
    if len(squashing) > 1:
        types = " and ".join(dict.fromkeys(layer.type for layer in squashing))
        advice = f"each of {len(squashing)} {types} layers makes it smaller; use ReLU, or {remedies}"
    others = [f'"{name}"' for name in layers[1:]]
    return [advice, f"the same is true of {listed(others)}"] if others else [advice]
