"""Why weights get no gradient, or no update, in the words of a finding."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caffelint.lint import CERTAIN, LIKELY, Cause, CauseKind, NamedTuple, Place, Suggested, title, titles
from caffelint.smoke.rule import (
    BLOB,
    DATA,
    BuiltLayer,
    Run,
    Statistics,
    Weights,
    blank_inputs,
    chance,
    cure,
    flat,
    gradient_ended,
    gradient_ends,
    hypotheses,
    is_zero,
    largest_ratios,
    made_zeros,
    rose,
    weightless,
    without_weights,
)

from ._advice import advice
from ._cause import too_large
from ._gradient import wrong_gradient
from ._numbers import number
from ._zeros import made_whole, zeros_of

_LEARNT = 1e-3
_FAR_UNMOVED = 1e-6
"""An update, to the weights, below which no rate is named: hardly the rate makes it so small."""
_UNMOVED = 1e-3
"""Of a weight: less than a training in half precision would lose."""
_NOT_LOADED = ("layer-renamed", "layer-without-weights")
_OF_STEPS = ("schedule", "delta", "loss-weight", "clip-gradients")
"""Kinds of cause that make steps smaller than the rate."""


class NoGradient(NamedTuple):
    """What to report where. note: what else there is to say of why."""

    place: Place
    cause: Cause
    note: str


def no_gradient(run: Run) -> NoGradient:
    """Of a run in which every gradient is 0 from the start to the end."""
    names = [layer.name for layer in run.loss_layers]
    place = run.place(names[0]) if names else run.nets[0].at()
    wrong, what = wrong_gradient(run), f"no weight gets a gradient{_stays(run)}"
    if wrong is not None and wrong.place is not None:
        return NoGradient(wrong.place, wrong._replace(what=what), "")
    if not run.loss_layers:
        known = run.known(rules=("python-loss-weight", "no-loss"))[:1]
        why = known[0].message if known else "no layer of the TRAIN net has a loss weight"
        cause = Cause("loss-weight", "no weight gets a gradient", why, CERTAIN)
        return NoGradient(run.line(known[0].line) if known and known[0].line else place, cause, "")
    if not any(event.loss for event in run.iterations):
        reason, sure = _zero_loss(run)
        zero = "the loss is 0 in every iteration, so no weight gets a gradient"
        zeros = next((one for one in hypotheses(run) if one.field == "H" and one.value == 0), None)
        if zeros is not None:
            return NoGradient(zeros.place, too_large(run)._replace(what=zero, place=None), "")
        return NoGradient(place, Cause("loss", zero, "", sure), reason)
    dead, end = _dead(run, -1), gradient_ends(run)
    if dead is not None and (nothing := blank_data(run, dead)) is not None:
        return nothing._replace(cause=nothing.cause._replace(what=what))
    best = cure(run)
    likeliest = next((one for one in hypotheses(run) if one.field in ("zero", "bias")), None)
    blamed = best.hypothesis if best is not None else likeliest
    if dead is not None and blamed is not None and blamed.kind != "rate":
        large = too_large(run)
        why = f"every output of {title(dead)} is 0"
        known = run.known([dead.name, *(layer.name for layer in blamed.layers[:1])])
        cause = large._replace(what=what, why=why, known=known, place=None, suggested=None)
        return NoGradient(blamed.place, cause, large.why)
    if dead is None and best is not None and best.hypothesis.told is not None:
        return NoGradient(best.hypothesis.place, too_large(run)._replace(what=what), "")
    why, note, sure = "", "", CERTAIN
    kind: CauseKind = "unknown"
    found: BuiltLayer | None = None
    if dead is not None:
        found, kind, why, note = dead, "layer", f"every output of {title(dead)} is 0", zeros_of(run, dead)
        maker = dead.bottoms[0].maker_beyond(lambda layer: layer.runs_in_place and not layer.normalises)
        if dead.normalises:
            maker = dead
        blank = advice(maker.type).zero if maker is not None and maker.normalises else None
        if maker is not None and blank is not None and blank.text and _of_zeros(run, maker):
            found, note, sure = maker, f"{title(maker)}: {blank.text}", blank.certainty
    elif end is not None and end.message is not None:
        found, kind, why = end, "layer", f"{title(end)} passes no gradient on"
        stops = advice(end.type).stops
        note = stops.text or ("its weights are 0" if weightless(run, end) else "")
        sure = stops.certainty
    place = run.place(found.name) if found is not None else place
    suspects = [layer.name for layer in (dead, end) if layer is not None]
    rules: tuple[str, ...] = ("missing-weight-filler", "constant-weights", "deconvolution-without-filler")
    suspect = found or end
    silent = without_weights(run, suspect) if suspect is not None else None
    if silent is not None:
        kind, note, sure = "weights", no_weights(run, silent), CERTAIN
        suspects.append(silent.name)
        rules = ("deconvolution-without-filler",) if silent.type == "Deconvolution" else rules[:2]
    return NoGradient(place, Cause(kind, what, why, sure, known=run.known(suspects, rules)), note)


def stopped(run: Run, learning: Sequence[Weights]) -> NoGradient | None:
    """Of a run with a gradient at first, and at the end no update, or no gradient while the loss is not 0."""
    if all(is_zero(one.last) and is_zero(one.first) for one in learning):
        return _no_update(run)
    last, loss, rate = run.measured[-1], run.iterations[-1].loss, run.iterations[-1].rate
    ended = last > 0 and all(gradient_ended(run, one.layer) or (rate and is_zero(one.last)) for one in learning)
    if not ended or abs(loss) < _LEARNT * abs(run.iterations[0].loss):
        return None
    dead = _dead(run, last)
    names = [dead.name if dead is not None else "", *(layer.name for layer in run.loss_layers)]
    name = next((name for name in names if name), "")
    cause = too_large(run)
    why = f"every output of {title(dead)} is 0" if dead is not None else ""
    what = f"by iteration {last} no weight gets a gradient any more"
    place = run.place(name) if name else run.nets[0].at()
    return NoGradient(place, cause._replace(what=what, why=why, known=()), cause.why)


def _no_update(run: Run) -> NoGradient:
    what = "weights get a gradient but no update"
    if run.solver.has("clip_gradients") and run.solver.message.clip_gradients == 0:
        off = Suggested("clip_gradients", -1)
        cause = Cause("clip-gradients", what, "clip_gradients: 0 scales every gradient to 0", suggested=off)
        return NoGradient(run.solver.at("clip_gradients"), cause, f"{off.text} turns clipping off")
    cause = too_large(run)
    if cause.place is not None and cause.kind not in ("rate", "start", "unknown") and run.tried:
        return NoGradient(cause.place, cause._replace(what=what), "")
    return NoGradient(run.solver.at("base_lr"), Cause("unknown", what, "the solver computes updates of 0", LIKELY), "")


def _stays(run: Run) -> str:
    """Where the loss stays, if it does."""
    values = [event.loss for event in run.iterations]
    first, expected = values[0], chance(run)
    if not max(values) - min(values) < 1e-3 * abs(first):
        return ""
    text = f", and the loss stays at {number(first)}"
    if not expected or not abs(first - expected) < 1e-3 * first:
        return text
    classes = round(math.exp(min(first, 20.0)))
    if abs(first - math.log(max(classes, 1))) < 1e-3 * first:
        return f"{text} = ln {classes}, which is what guessing among {classes} classes gives"
    return f"{text}, which is what guessing gives"


def _zero_loss(run: Run) -> tuple[str, str]:
    """Why a loss may be 0 all the time, the surest first, and how sure that is."""
    for layer in run.loss_layers:
        scores = layer.bottoms[0].shape if layer.bottoms else None
        if layer.type == "SoftmaxWithLoss" and scores and len(scores) > 1 and scores[1] == 1:
            why = f"{title(layer)} chooses from a single class; give the layer before it one output for each class"
            return why, CERTAIN
        if layer.type == "SoftmaxWithLoss" and layer.message.loss_param.HasField("ignore_label"):
            return f"every label may be ignore_label {layer.message.loss_param.ignore_label}", LIKELY
        if layer.type == "ContrastiveLoss":
            margin = layer.message.contrastive_loss_param.margin
            why = f"all pairs are identical, or further apart than margin {margin:g}; raise margin"
            return why, LIKELY
        if layer.type == "HingeLoss":
            return "every margin is kept", CERTAIN
    return "the loss may have no weight, or compare a blob with itself", LIKELY


def _of_zeros(run: Run, layer: BuiltLayer) -> bool:
    """Was all 0 what it made in the pass at rate 0, or can it be nothing else?"""
    shape = layer.tops[0].shape
    if layer.type == "BatchNorm" and not layer.parameters.use_global_stats and shape:
        if shape[0] * math.prod(shape[2:]) == 1:
            return True
    return is_zero(run.statistics(-1, layer.name, BLOB, layer.tops[0].name, DATA))


def _dead(run: Run, at: int) -> BuiltLayer | None:
    """The first layer whose output is all 0 in that iteration."""
    for event in run.all(Statistics):
        if (event.iteration, event.kind, event.part) == (at, BLOB, DATA) and is_zero(event):
            layer = run.layer(event.layer)
            if layer and layer.bottoms and layer.need_backward and not layer.is_loss:
                return made_zeros(layer)
    return None


def blank_data(run: Run, layer: BuiltLayer) -> NoGradient | None:
    """Where all that a layer depends on is 0 in every record."""
    blank = blank_inputs(run, layer)
    if not blank:
        return None
    one, place = blank[0], run.place(blank[0].name)
    why = f'every value of "{one.tops[0].name}", which {title(one)} brings, is 0'
    if one.transforms and not one.message.transform_param.scale:
        why, place = f"{why}, since its scale is 0", run.place(one.name, 0, "transform_param", "scale")
    return NoGradient(place, Cause("input-scale", "", why, CERTAIN), made_whole(run, one))


def no_weights(run: Run, layer: BuiltLayer) -> str:
    """A layer without weights in words."""
    frozen = [one for one in run.built[0].layers if weightless(run, one) and not (one.params or [])[0].lr_mult]
    frozen = frozen if layer in frozen else []
    what, names = titles(frozen or [layer]), {one.name for one in frozen or [layer]}
    if run.loaded and any(one.name in _NOT_LOADED and one.layer in names for one in run.static):
        remedy = "name the layers as in that file, or give them a weight_filler and lr_mult: 1"
        return f"the weights of {what} are 0, and the file that was loaded has none of that name; {remedy}"
    if run.loaded:
        return f"the weights that were loaded into {title(layer)} are 0; check that file"
    if frozen:
        remedy = "set lr_mult: 1 and give it a weight_filler, or load some with --weights"
        if all(one.type == "Deconvolution" for one in frozen):
            remedy = 'give it weight_filler { type: "bilinear" }, or set them in the training script'
        return f"the weights of {what} are 0, and lr_mult 0 keeps them so; {remedy}"
    return f"the weights of {title(layer)} are 0; load some with --weights, or give it a weight_filler"


def idle(run: Run) -> Cause | None:
    """Of a loss that does not fall, updates of which all of the solver's iterations make no difference."""
    ratio = max(largest_ratios(run).values(), default=0.0)
    moved = ratio * run.solver.message.max_iter
    if not 0 < moved < _UNMOVED or run.solver.type == "AdaDelta" or not flat(run) or rose(run):
        return None
    what = f"the largest update is {number(ratio)} times the weights, so all {run.solver.message.max_iter:,} iterations"
    what += f" change them by {number(moved)} of their size at most"
    if (cause := too_large(run)).kind in _OF_STEPS:
        return cause._replace(what=what)
    low = next((one for one in hypotheses(run) if one.field == "low" and one.changes), None)
    better = low.changes[0].suggested if low and ratio > _FAR_UNMOVED else None
    why = f"{run.rate_text} is too low" + (f"; try {better.text}" if better else "")
    return Cause("rate", what, why, LIKELY, suggested=better)
