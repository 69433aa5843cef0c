from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.lint import (
    CERTAIN,
    ERROR,
    LIKELY,
    WARNING,
    Cause,
    CauseKind,
    Finding,
    Invalid,
    Place,
    Suggested,
)
from caffelint.smoke.rule import CHANGE, DIFF, PARAM, Run, SmokeRule, Statistics

from ._cause import too_large
from ._evidence import evidence
from ._example import CALM, NET, losses, project, spread
from ._learning import (
    Weights,
    gradient_ended,
    gradient_ends,
    is_zero,
    no_weights,
    only_decays,
    weightless,
    weights,
    without_weights,
)
from ._loss import chance, clamped, rose
from ._numbers import number
from ._why_nothing import ENDS, NOT_SURE, gives_zero, why_nothing, why_zero

_FLAT = (2.302585,) * 6
_NOTHING = [spread(-1, "fc", PARAM, "0", 0, 1, DIFF), spread(5, "fc", PARAM, "0", 0, 1, CHANGE)]
_SOMETHING = [spread(-1, "fc", PARAM, "0", 0.1, 0, DIFF), spread(5, "fc", PARAM, "0", 0.1, 0, CHANGE)]
_RATES_OF_NO_USE = 2
_LEARNT = 1e-3


class NotLearning(SmokeRule):
    """No weight learns anything: gradients or updates were exactly 0, or the loss rests where no gradient leads out.

    ## Why is this bad?
    It will be so for ever. The loss stays where it began, at ln C for C classes (2.303 for 10, 6.908 for 1000), or only
    the last bias moves. The cause is one of few: nothing has a lr_mult; the rate is 0; clip_gradients is 0; no loss has
    a weight; every label is ignored; or an output is 0 for every input (fillers left at their default of 0, dead ReLUs)
    so that no gradient passes.

    A SoftmaxWithLoss that rests at 87.3365 = -log(FLT_MIN), or at a share of it, gives the right class a probability of
    exactly 0: scores lie so far apart that no update of a usual size brings them together.

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
            project(*losses(*(87.3365,) * 6), *_SOMETHING),
            span="layer",
            message="the loss rests at 87.34: 8 of 8 labels have a probability of exactly 0",
        ),
        Invalid(
            project(*losses(*CALM), _SOMETHING[0], spread(0, "fc", PARAM, "0", 0.1, 0, CHANGE), _NOTHING[1]),
            span="layer",
            message="no weight gets a gradient any more in iteration 5",
        ),
        Invalid(
            project(*losses(*CALM, rate=0), _SOMETHING[0]),
            span='lr_policy: "fixed"',
            message="the rate is 0 from iteration 0 on: nothing learns",
        ),
        Invalid(
            project(*losses(*CALM), _SOMETHING[0], spread(0, "fc", PARAM, "0", 0, 1, CHANGE), _NOTHING[1]),
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
            known = run.known(rules=("nothing-learnable", "no-loss", "no-gradient-path", "frozen-without-weights"))
            what, why = "nothing in the TRAIN net learns", "no parameter with a lr_mult above 0 lies on a way to a loss"
            kind, reason = why_nothing(run)
            yield self.finding(
                _train(run),
                f"{what}: {why}",
                evidence=evidence(reason, known=known),
                cause=Cause(kind, what, f"{why}; {reason}", known=known),
            )
            return
        idle = next((event.iteration for event in iterations if _idle(run, event.iteration)), None)
        if idle is not None and idle <= len(iterations) // _RATES_OF_NO_USE:
            known = run.known(rules=("missing-lr-parameter", "learning-rate-vanishes", "no-base-lr"))
            what, why = f"the rate is 0 from iteration {idle} on", "nothing learns"
            yield self.finding(
                run.solver.at("lr_policy"),
                f"{what}: {why}",
                evidence=evidence(known=known),
                cause=Cause("schedule", what, why, known=known),
            )
            return
        learning = list(weights(run))
        if learning and all(one.gradient is not None for one in learning):
            if all(is_zero(one.gradient) and only_decays(run, one) for one in learning):
                yield self._no_gradient(run)
                return
            if found := self._stopped(run, learning):
                yield found
                return
        share = clamped(run)
        if share and not rose(run) and iterations[-1].loss > 0:
            name = next(layer.name for layer in run.loss_layers if layer.type == "SoftmaxWithLoss")
            what, why = f"the loss rests at {number(iterations[-1].loss)}", f"{share} have a probability of exactly 0"
            apart = "87.3365 is -log(FLT_MIN), the most that a label can cost: scores lie more than 87 apart, so scale"
            apart += " the input or the fillers down"
            cause = too_large(run)
            known = run.known(rules=("unscaled-input", "high-base-lr"))
            yield self.finding(
                run.place(name),
                f"{what}: {why}",
                severity=WARNING if run.synthetic else None,
                certainty=LIKELY if run.synthetic else None,
                evidence=evidence(apart, cause.why, known=known),
                cause=cause._replace(
                    what=what, why=f"{why}; {apart}; {cause.why}", certainty=LIKELY, known=known, place=None
                ),
            )

    def _stopped(self, run: Run, learning: list[Weights]) -> Finding | None:
        """Was there a gradient at first, and at the end no update, or no gradient while the loss is not 0?"""
        last = run.measured[-1]
        if all(is_zero(one.last) and is_zero(one.first) for one in learning):
            what = "weights get a gradient, and yet no update"
            cause = Cause("unknown", what, "the solver makes nothing of it", LIKELY)
            field = "base_lr"
            remedy = ""
            if run.solver.has("clip_gradients") and run.solver.message.clip_gradients == 0:
                field = "clip_gradients"
                remedy = "clip_gradients is off where it is negative"
                cause = Cause("clip-gradients", what, "clip_gradients: 0 scales it to 0")
            message = f"{what}: {cause.why}"
            if remedy:
                cause = cause._replace(why=f"{cause.why}; {remedy}", suggested=Suggested("clip_gradients", -1))
            return self.finding(run.solver.at(field), message, evidence=remedy, cause=cause)
        loss, rate = run.iterations[-1].loss, run.iterations[-1].rate
        ended = last > 0 and all(gradient_ended(run, one.layer) or (rate and is_zero(one.last)) for one in learning)
        if not ended or abs(loss) < _LEARNT * abs(run.iterations[0].loss):
            return None
        dead = next((name for event in run.all(Statistics) if (name := gives_zero(run, event, last))), "")
        names = [layer.name for layer in run.loss_layers]
        message = f"no weight gets a gradient any more in iteration {last}"
        place = run.place(dead or names[0]) if dead or names else _train(run)
        cause = too_large(run)._replace(what=message)
        reason = cause.why
        if dead:
            message += f': all that "{dead}" gives is 0'
            cause = cause._replace(why=f'all that "{dead}" gives is 0; {reason}')
        return self.finding(place, message, evidence=reason, cause=cause)

    def _no_gradient(self, run: Run) -> Finding:
        values = [event.loss for event in run.iterations]
        names = [layer.name for layer in run.loss_layers]
        place = run.place(names[0]) if names else _train(run)
        if not any(values):
            what, why = "no weight gets a gradient", "the loss is 0 in every iteration"
            reason, sure = why_zero(run)
            cause = Cause("loss", what, f"{why}; {reason}", sure)
            return self.finding(place, f"{what}: {why}", evidence=reason, cause=cause)
        first = next((name for event in run.all(Statistics) if (name := gives_zero(run, event, -1))), "")
        flat = max(values) - min(values) < 1e-3 * abs(values[0])
        message = "no weight gets a gradient"
        expected = chance(run)
        if flat and expected and abs(values[0] - expected) < 1e-3 * values[0]:
            classes = round(math.exp(min(values[0], 20.0)))
            same = abs(values[0] - math.log(max(classes, 1))) < 1e-3 * values[0]
            message += f", and the loss stays at {number(values[0])}"
            message += f" = ln {classes}, chance for {classes} classes" if same else ", that of chance"
        elif flat:
            message += f", and the loss stays at {number(values[0])}"
        what, why, reason = message, "", ""
        kind: CauseKind = "unknown"
        end = gradient_ends(run)
        if first:
            kind, why = "layer", f'all that "{first}" gives is 0'
            place = run.place(first)
        elif end is not None and end.message is not None:
            kind, why = "layer", f'"{end.name}" ({end.type}) passes none on'
            place = run.place(end.name)
            reason = ENDS.get(end.type, "its weights are 0" if weightless(run, end) else "")
        names = [name for name in (first, end.name if end else "") if name]
        found = run.layer(first or (end.name if end else ""))
        silent = without_weights(run, found) if found else None
        rules: tuple[str, ...] = ("missing-weight-filler", "constant-weights", "deconvolution-without-filler")
        if silent is not None:
            kind, reason = "weights", no_weights(silent)
            names.append(silent.name)
            rules = ("deconvolution-without-filler",) if silent.type == "Deconvolution" else rules[:2]
        known = run.known(names, rules)
        sure = LIKELY if end is not None and end.type in NOT_SURE and kind != "weights" else CERTAIN
        return self.finding(
            place,
            f"{what}: {why}" if why else what,
            evidence=evidence(reason, known=known),
            cause=Cause(kind, what, "; ".join(part for part in (why, reason) if part), sure, known=known),
        )


def _idle(run: Run, start: int) -> bool:
    return all(event.rate == 0 for event in run.iterations[start:])


def _train(run: Run) -> Place:
    return run.nets[0].at()
