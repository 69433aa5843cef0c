from __future__ import annotations

from collections.abc import Iterator

from caffelint.lint import ERROR, LIKELY, WARNING, Cause, Finding, Invalid, title, titles
from caffelint.smoke.rule import (
    CHANGE,
    DATA,
    DIFF,
    PARAM,
    BuiltLayer,
    Run,
    SmokeRule,
    clamped,
    cure,
    faded,
    is_zero,
    lags,
    only_decays,
    rose,
    strong,
    weights,
)

from ._cause import clipped_away, too_large
from ._evidence import worded
from ._example import CALM, NET, SOLVER, losses, project, spread
from ._falls import hardly_falls
from ._no_gradient import idle, no_gradient, stopped
from ._nothing_learns import nothing_to_learn
from ._numbers import number

_FLAT = (2.302585,) * 6
_NOTHING = [spread(-1, "fc", PARAM, "0", 0, 1, DIFF), spread(5, "fc", PARAM, "0", 0, 1, CHANGE)]
_SOMETHING = [spread(-1, "fc", PARAM, "0", 0.1, 0, DIFF), spread(5, "fc", PARAM, "0", 0.1, 0, CHANGE)]
_HALF = 2


class NotLearning(SmokeRule):
    """No weight learns: gradients or updates are exactly 0, or the loss stays where no gradient leads away.

    ## Why is this bad?
    More iterations will not help. The loss stays where it began, at ln C for C classes (2.303 for 10, 6.908 for 1000),
    or only the last bias moves. There are few causes: every lr_mult is 0; the rate is 0; clip_gradients is 0; no loss
    has a weight; every label is ignored; or an output is 0 for every input (fillers left at their default of 0, dead
    ReLUs), so that no gradient passes.

    A SoftmaxWithLoss that stays at 87.3365 = -log(FLT_MIN), or a share of it, gives the right class a probability of
    exactly 0: the scores are so far apart that no update of a usual size brings them together.

    ## Known problems
    A loss that merely moves slowly is not reported: a few dozen iterations prove nothing.

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
            message="no weight gets a gradient, and the loss stays at 2.303 = ln 10, which is what guessing among"
            " 10 classes gives",
        ),
        Invalid(
            project(*losses(0, 0, 0, 0, 0, 0), *_NOTHING),
            span="layer",
            message="the loss is 0 in every iteration, so no weight gets a gradient",
        ),
        Invalid(
            project(*losses(*(87.3365,) * 6), *_SOMETHING),
            span="layer",
            message="the loss stays at 87.34: 8 of 8 labels have a probability of exactly 0",
        ),
        Invalid(
            project(*losses(*CALM), _SOMETHING[0], spread(0, "fc", PARAM, "0", 0.1, 0, CHANGE), _NOTHING[1]),
            span="layer",
            message="by iteration 5 no weight gets a gradient any more",
        ),
        Invalid(
            project(*losses(*CALM, rate=0), _SOMETHING[0]),
            span='lr_policy: "fixed"',
            message="the rate is 0 from iteration 0 on, so nothing learns; check base_lr",
        ),
        Invalid(
            project(*losses(*CALM), _SOMETHING[0], spread(0, "fc", PARAM, "0", 0, 1, CHANGE), _NOTHING[1]),
            span="base_lr: 10",
            message="weights get a gradient but no update: the solver computes updates of 0",
        ),
        Invalid(
            project(
                *losses(*(2.302585,) * 24),
                *(spread(at, "fc", PARAM, "0", 0.1, 0, part) for at, part in ((-1, DIFF), (-1, DATA))),
                *(spread(at, "fc", PARAM, "0", 1e-10, 0, CHANGE) for at in (0, 23)),
                solver=SOLVER + "max_iter: 5000",
            ),
            span="base_lr: 10",
            message="the largest update is 1e-07 times the weights, so all 5,000 iterations change them by 0.0005 of"
            " their size at most: base_lr 10 with momentum 0.9 is too low",
        ),
        Invalid(
            project(
                *losses(*CALM), net=NET.replace('name: "fc"', 'name: "fc" param { lr_mult: 0 } param { lr_mult: 0 }')
            ),
            span="lr_mult: 0",
            message="nothing in the TRAIN net learns: no parameter with lr_mult above 0 is on a path to a loss",
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        if len(run.iterations) < 2 or not run.finite:
            return
        found = _nothing_to_learn(self, run) or _no_rate(self, run) or _no_gradient(self, run) or _clamped(self, run)
        found = found or _flat(self, run) or _idle(self, run)
        if found:
            lost = any(one.name == "layer-without-weights" and one.severity == ERROR for one in run.static)
            yield _without_weights(self, found, run) if lost else found


def _without_weights(rule: SmokeRule, found: Finding, run: Run) -> Finding:
    """Weights were given, and nothing of them was loaded: whatever else is odd comes of that."""
    what = found.cause.what if found.cause else found.message
    why = "none of the weights were loaded, since no layer has one of their names; compare the names of the layers"
    known = run.known(rules=("layer-without-weights",))
    return worded(rule, found.place, Cause("weights", what, why, LIKELY, known=known))


def _nothing_to_learn(rule: SmokeRule, run: Run) -> Finding | None:
    layers = run.built[0].layers
    able = [layer for layer in layers if layer.need_backward and any(param.lr_mult for param in layer.params or ())]
    if not all(layer.known and layer.params is not None for layer in layers):
        return None
    if able:
        return _only_factors(rule, run, able)
    known = run.known(rules=("nothing-learnable", "no-loss", "no-gradient-path", "frozen-without-weights"))
    what, why = "nothing in the TRAIN net learns", "no parameter with lr_mult above 0 is on a path to a loss"
    kind, reason, place = nothing_to_learn(run)
    return worded(rule, place, Cause(kind, what, why, known=known), reason)


def _only_factors(rule: SmokeRule, run: Run, able: list[BuiltLayer]) -> Finding | None:
    """Does nothing learn but factors and slopes, since all weights are frozen that fillers made?"""
    frozen = [layer for layer in run.built[0].layers if layer.has_weights and layer.params]
    if run.loaded or run.has_weights_by_script or not frozen or any(layer.has_weights for layer in able):
        return None
    what = f"no weights learn: every lr_mult of {titles(frozen[:3])}{_and_more(len(frozen) - 3)} is 0"
    why = f"only {title(able[0])}{_and_more(len(able) - 1)} can learn, which multiply what random weights make"
    place = run.place(frozen[-1].name, 0, "param", 0, "lr_mult")
    remedy = "set lr_mult: 1 in what is to learn, above all in the last layer, or load weights with --weights"
    return worded(rule, place, Cause("lr-mult", what, why), remedy, severity=WARNING)


def _and_more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _no_rate(rule: SmokeRule, run: Run) -> Finding | None:
    rates = [event.rate for event in run.iterations]
    idle = next((event.iteration for at, event in enumerate(run.iterations) if not any(rates[at:])), None)
    if idle is None or idle > len(rates) // _HALF:
        return _faded(rule, run)
    known = run.known(rules=("missing-lr-parameter", "learning-rate-vanishes", "no-base-lr"))
    fields = " and ".join(("base_lr", *run.solver.schedule.reads))
    what = f"the rate is 0 from iteration {idle} on, so nothing learns; check {fields}"
    return worded(rule, run.solver.at("lr_policy"), Cause("schedule", what, known=known))


def _faded(rule: SmokeRule, run: Run) -> Finding | None:
    at = faded(run)
    if at is None:
        return None
    known = run.known(rules=("learning-rate-vanishes",))
    first, last = run.iterations[0].rate, run.iterations[-1].rate
    what = f"from iteration {at} on, the rate is less than a millionth of what it was, so nothing learns any more"
    cause = too_large(run)
    if cause.kind != "schedule":
        why = f"it falls from {number(first)} to {number(last)}; use a schedule that takes longer"
        cause = Cause("schedule", "", why)
    place = cause.place or run.solver.at("lr_policy")
    return worded(rule, place, cause._replace(what=what, known=known, place=None))


def _no_gradient(rule: SmokeRule, run: Run) -> Finding | None:
    learning = list(weights(run))
    if not learning or (run.loss_layers and any(one.gradient is None for one in learning)):
        return None
    nothing = not run.loss_layers or all(is_zero(one.gradient) and only_decays(run, one) for one in learning)
    found = no_gradient(run) if nothing else stopped(run, learning)
    best = cure(run)
    severity = WARNING if best is not None and best.hypothesis.field == "seed" else None
    return worded(rule, found.place, found.cause, found.note, severity=severity) if found else None


def _flat(rule: SmokeRule, run: Run) -> Finding | None:
    """Of a loss that does not fall, only what an experiment showed."""
    best = cure(run)
    if not (lags(run) or best is not None and best.hypothesis.entry) or rose(run):
        return None
    if best is None:
        short, at = clipped_away(run), run.solver.at("clip_gradients")
        return worded(rule, at, short, severity=WARNING, certainty=LIKELY) if short else None
    if best.hypothesis.kind == "rate" and not strong(run, best.hypothesis):
        return None
    cause = too_large(run)
    return worded(
        rule, best.hypothesis.place, cause._replace(what=hardly_falls(run)), severity=WARNING, certainty=LIKELY
    )


def _idle(rule: SmokeRule, run: Run) -> Finding | None:
    cause = idle(run)
    place = (cause.place if cause else None) or run.solver.at("base_lr")
    return worded(rule, place, cause, severity=WARNING) if cause else None


def _clamped(rule: SmokeRule, run: Run) -> Finding | None:
    share, loss = clamped(run), run.iterations[-1].loss
    if not share or rose(run) or not loss > 0:
        return None
    name = next(layer.name for layer in run.loss_layers if layer.type == "SoftmaxWithLoss")
    apart = "87.3365 is -log(FLT_MIN), the most that a label can cost, so scores are more than 87 apart; scale the"
    apart += " input or the fillers down"
    large = too_large(run)
    if cure(run) is not None:
        apart = "87.3365 is -log(FLT_MIN), the most that a label can cost"
    cause = large._replace(
        what=f"the loss stays at {number(loss)}",
        why=f"{share} have a probability of exactly 0",
        certainty=LIKELY,
        known=run.known(rules=("unscaled-input", "high-base-lr")),
        place=None,
    )
    severity, certainty = (WARNING, LIKELY) if run.synthetic else (None, None)
    return worded(rule, run.place(name), cause, apart, large.why, severity=severity, certainty=certainty)
