from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import ERROR, Finding, Invalid, Place, SmokeRule
from caffelint.smoke.run import BLOB, CHANGE, DATA, DIFF, PARAM, Run, Statistics

from ._example import CALM, NET, losses, project, spread
from ._learning import is_zero, only_decays, weights
from ._words import number

_FLAT = (2.302585,) * 6
_NOTHING = [spread(-1, "fc", PARAM, "0", 0, 1, DIFF), spread(5, "fc", PARAM, "0", 0, 1, CHANGE)]
_SOMETHING = [spread(-1, "fc", PARAM, "0", 0.1, 0, DIFF), spread(5, "fc", PARAM, "0", 0.1, 0, CHANGE)]
_RATES_OF_NO_USE = 2


class NotLearning(SmokeRule):
    """No weight learnt anything in the whole run: gradients or updates were exactly 0.

    ## Why is this bad?
    It will be so for ever. The loss stays where it began, at ln C for C classes (2.303 for 10, 6.908 for 1000), or only
    the last bias moves. The cause is one of few: nothing has a lr_mult; the rate is 0; clip_gradients is 0; no loss has
    a weight; every label is ignored; or an output is 0 for every input (fillers left at their default of 0, dead ReLUs)
    so that no gradient passes.

    ## Known problems
    A loss that merely moves slowly is not reported: some dozen iterations prove nothing.

    ## References
    - net.cpp, Init and BackwardFromTo; filler.hpp, ConstantFiller
    - BVLC/caffe issues 59, 2430 and 4446
    """

    code = "X105"
    name = "not-learning"
    severity = ERROR
    VALID = [project(*losses(*CALM), *_SOMETHING)]
    INVALID = [
        Invalid(
            project(*losses(*_FLAT), *_NOTHING),
            span="layer",
            message="no weight gets a gradient, and the loss stays at 2.303 = ln 10, chance for 10 classes",
        ),
        Invalid(
            project(*losses(0, 0, 0, 0, 0, 0), *_NOTHING),
            span="layer",
            message="no weight gets a gradient: the loss is 0 in every iteration",
        ),
        Invalid(
            project(*losses(*CALM, rate=0), _SOMETHING[0]),
            span='lr_policy: "fixed"',
            message="the rate is 0 from iteration 0 on: nothing learns",
        ),
        Invalid(
            project(*losses(*CALM), _SOMETHING[0], _NOTHING[1]),
            span="base_lr: 10",
            message="weights get a gradient, and yet no update: the solver makes nothing of it",
        ),
        Invalid(
            project(
                *losses(*CALM), net=NET.replace('name: "fc"', 'name: "fc" param { lr_mult: 0 } param { lr_mult: 0 }')
            ),
            span="layer",
            message="nothing in the TRAIN net learns: no parameter with a lr_mult above 0 lies on a way to a loss",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        iterations = run.iterations
        if len(iterations) < 2 or not run.finite:
            return
        if not any(
            param.lr_mult for layer in run.built[0].layers if layer.need_backward for param in layer.params or ()
        ) and all(layer.known and layer.params is not None for layer in run.built[0].layers):
            yield self.finding(
                _train(run),
                "nothing in the TRAIN net learns: no parameter with a lr_mult above 0 lies on a way to a loss",
                evidence=_see(run, ("nothing-learnable", "no-loss", "no-gradient-path", "frozen-without-weights")),
            )
            return
        idle = next((event.iteration for event in iterations if _idle(run, event.iteration)), None)
        if idle is not None and idle <= len(iterations) // _RATES_OF_NO_USE:
            yield self.finding(
                run.solver.at("lr_policy"),
                f"the rate is 0 from iteration {idle} on: nothing learns",
                evidence=_see(run, ("missing-lr-parameter", "learning-rate-vanishes", "no-base-lr")),
            )
            return
        learning = list(weights(run))
        if not learning or any(one.gradient is None for one in learning):
            return
        if not all(is_zero(one.gradient) and only_decays(run, one) for one in learning):
            if all(is_zero(one.last) for one in learning):
                clip = run.solver.has("clip_gradients") and run.solver.message.clip_gradients == 0
                yield self.finding(
                    run.solver.at("clip_gradients" if clip else "base_lr"),
                    "weights get a gradient, and yet no update: "
                    + ("clip_gradients: 0 scales it to 0" if clip else "the solver makes nothing of it"),
                    evidence="clip_gradients is off where it is negative" if clip else "",
                )
            return
        yield self._no_gradient(run)

    def _no_gradient(self, run: Run) -> Finding:
        values = [event.loss for event in run.iterations]
        names = [layer.name for layer in run.loss_layers]
        place = run.place(names[0]) if names else _train(run)
        if not any(values):
            return self.finding(
                place,
                "no weight gets a gradient: the loss is 0 in every iteration",
                evidence="every label may be ignored, the loss may have no weight, or a single class to choose from",
            )
        first = next((name for event in run.all(Statistics) if (name := _dead(run, event))), "")
        flat = max(values) - min(values) < 1e-3 * abs(values[0])
        message = "no weight gets a gradient"
        classes = round(math.exp(min(values[0], 20.0)))
        if flat and classes > 1 and abs(values[0] - math.log(classes)) < 1e-3 * values[0]:
            message += f", and the loss stays at {number(values[0])} = ln {classes}, chance for {classes} classes"
        elif flat:
            message += f", and the loss stays at {number(values[0])}"
        if first:
            message += f': all that "{first}" gives is 0'
            place = run.place(first)
        rules = ("missing-weight-filler", "constant-weights", "deconvolution-without-filler", "missing-bias-filler")
        return self.finding(place, message, evidence=_see(run, rules))


def _dead(run: Run, event: Statistics) -> str:
    """The layer, where the event says that all it gives is 0."""
    if (event.iteration, event.kind, event.part) != (-1, BLOB, DATA):
        return ""
    layer = run.layer(event.layer)
    return event.layer if event.zeros == 1 and layer and layer.bottoms and not layer.is_loss else ""


def _idle(run: Run, start: int) -> bool:
    return all(event.rate == 0 for event in run.iterations[start:])


def _train(run: Run) -> Place:
    return run.nets[0].at()


def _see(run: Run, rules: tuple[str, ...]) -> str:
    known = run.explained(rules=rules)
    return f"see {known}" if known else ""
