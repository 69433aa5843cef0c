"""What a run may have broken of, from what was measured, and which change would show it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Param
from caffelint.caffe.place import Place
from caffelint.lint.finding import CERTAIN, INFO
from caffelint.lint.report import ReportedFinding
from caffelint.smoke.diagnosis.asked import cropped, few_at_once, inverted, mirrored
from caffelint.smoke.diagnosis.change import (
    Change,
    centred_target,
    of_layer,
    of_one,
    of_solver,
    scaled_target,
    spelled,
    written_layer,
)
from caffelint.smoke.diagnosis.entries import entries
from caffelint.smoke.diagnosis.forms import expanding
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.diagnosis.inputs import input_scale
from caffelint.smoke.diagnosis.losses import infogain, losses, read_at_first
from caffelint.smoke.diagnosis.schedules import hardly_begun, schedules
from caffelint.smoke.diagnosis.signal import depth, epsilon, fillers
from caffelint.smoke.diagnosis.steps import small_steps
from caffelint.smoke.diagnosis.trouble import clipped, hampered, pull_of_decay, stuck
from caffelint.smoke.events import BLOB, DATA, PARAM, LossGradient, NonFinite
from caffelint.smoke.flow import is_of_data
from caffelint.smoke.learning import first_ratios, is_zero, size, weights
from caffelint.smoke.loss import runs_away
from caffelint.smoke.run import Run
from caffelint.smoke.trunk import trunk

ADAPTIVE = ("AdaGrad", "RMSProp", "Adam", "AdaDelta")
_USUAL_RATE = {"SGD": 0.1, "Nesterov": 0.1, "AdaGrad": 0.1, "RMSProp": 0.01, "Adam": 0.01, "AdaDelta": 10.0}
"""Above it a rate is out of the ordinary."""
_USUAL_UPDATE = 0.01
"""Of the weights: about what a fast update takes."""
_LOW_FOR_ADADELTA = 0.05
"""It finds the size of its updates itself, and is made for a base_lr of 1."""
_SLOW_UPDATE, _FAST_UPDATE = 1e-6, 1e-3
_SLOW_IF_TOLD = 1e-4
"""Where a check expects it, too."""
_HIGHEST = 10.0
"""Of the rate that a solver usually gets, at most: what seems to ask for a higher one has another fault."""
_LOWEST = 1e-4
"""Of the rate that a solver usually gets: what takes a lower one has another fault."""
_PROVED = 10.0
"""The score of what breaks any run."""
_MULTIPLIES, _LARGE_TARGET = 10.0, 10.0
_SMALL_TARGET = 1e-3
_ROUNDED = 0.01
"""What a probability may be off."""
_HIGH_MOMENTUM, _VERY_HIGH_MOMENTUM, _DECAYS = 0.95, 0.99, 2.0
_DOMINATES = 10.0
_FAR_LESS = 30.0
"""Times less than what balances two losses: tried as well where they are apart by more than its square, since the
larger one's gradients may fall more slowly than its weight."""
_LEAST_WEIGHT = 1e-6
_AUXILIARY = 0.3
"""What GoogLeNet gives a loss beside its last."""
_CLIPS_AT = 10.0
CLIPPED = 10.0
_PULLS = 0.1
"""Of a weight, which decay takes in each update: nothing is left of it after a few dozen."""


def hypotheses(run: Run, after: int | None = None) -> list[Hypothesis]:
    """Those that the evidence allows, the likeliest first; the rate is always among them.

    after: the iteration that broke; before the first update no solver is to blame.
    """
    broke = next((event.iteration for event in run.all(NonFinite) if not event.net), None)
    began = after if after is not None else broke
    found = [
        *_statistics(run),
        *input_scale(run),
        *_targets(run),
        *losses(run),
        *infogain(run),
        *_labels(run),
        *inverted(run),
        *cropped(run),
        *mirrored(run),
        *entries(run),
        *few_at_once(run),
        *_sorted(run),
        *fillers(run),
    ]
    grown = [*depth(run)]
    found += epsilon(run)
    if began is None or began >= 0:
        weighed = [*_weights_of_losses(run)]
        # Gradients that differ from layer to layer are those of a loss that outweighs the others further up.
        outweighs = [one.score for one in weighed if one.field == "ratio"]
        found += [*weighed, *(one for one in grown if one.field != "gradients" or not outweighs)]
        if not stuck(run):  # no solver makes a gradient
            found += [*_solver(run, began), *_multipliers(run), *_clipping(run), *small_steps(run), rate(run)]
    else:
        found += grown
    return sorted((_with_check(run, one) for one in found), key=lambda one: -one.score)


def strong(run: Run, one: Hypothesis) -> bool:
    """May it keep a loss from falling: is it that far out of the ordinary, or does a check warn of it?"""
    return bool(one.changes) and (one.score >= STRONG or any(_warnings(run, one)))


def _with_check(run: Run, one: Hypothesis) -> Hypothesis:
    """What a check of the text is certain of at the same place counts for more than a guess."""
    sure = any(known.certainty == CERTAIN for known in _warnings(run, one))
    return one._replace(score=one.score + 2) if sure and one.kind != "rate" else one


def _warnings(run: Run, one: Hypothesis) -> list[ReportedFinding]:
    """What a check warns of at the same place."""
    line, path = one.place.line, one.place.document.path
    return [known for known in run.static if (known.file, known.line) == (path, line) and known.severity != INFO]


def _solver(run: Run, after: int | None) -> Iterator[Hypothesis]:
    message, solver = run.solver.message, run.solver
    if message.iter_size < 1:
        changes = of_solver(run, "iter_size", 1)
        yield Hypothesis("iter-size", solver.at("iter_size"), _PROVED, changes, value=message.iter_size, proved=True)
    uses_momentum = solver.type not in ("AdaGrad", "RMSProp")
    if abs(message.momentum) > _HIGH_MOMENTUM and uses_momentum:
        sure = abs(message.momentum) >= 1
        score = _PROVED if sure else STRONG + math.log10((1 - _VERY_HIGH_MOMENTUM) / (1 - abs(message.momentum)))
        changes = of_solver(run, "momentum", 0.9)
        place = solver.at("momentum")
        yield Hypothesis("momentum", place, score, changes, "momentum", value=message.momentum, proved=sure)
    if solver.type == "Adam" and message.momentum2 >= 1:
        changes = of_solver(run, "momentum2", 0.999)
        place = solver.at("momentum2")
        yield Hypothesis("momentum", place, _PROVED, changes, "momentum2", value=message.momentum2, proved=True)
    if solver.type in ADAPTIVE and message.delta <= 0 and any(is_zero(one.gradient) for one in weights(run)):
        changes = of_solver(run, "delta", 1e-8)
        yield Hypothesis("delta", solver.at("delta"), _PROVED, changes, value=message.delta, proved=True)
    elif solver.type in ADAPTIVE and message.delta < 1e-12:
        yield Hypothesis("delta", solver.at("delta"), 2.0, of_solver(run, "delta", 1e-8), value=message.delta)
    yield from _decay(run)
    yield from _decay_of_layers(run)
    yield from schedules(run, after)


def _decay(run: Run) -> Iterator[Hypothesis]:
    """Weight decay that overshoots: L2 subtracts rate * decay of each weight, L1 rate * decay from each."""
    message = run.solver.message
    used = max((abs(event.rate) for event in run.iterations[:5] if math.isfinite(event.rate)), default=0.0)
    taken = used * abs(message.weight_decay)
    if message.momentum < 1:
        taken /= 1 - max(message.momentum, 0)
    if message.regularization_type == "L1":
        sizes = [size(one.data) for one in weights(run) if one.data is not None and size(one.data) > 0]
        sure = bool(sizes) and taken > _DECAYS * max(sizes)
    else:
        sure = taken > _DECAYS
    # An adaptive solver takes steps of one size, so decay that is larger than the gradient has most of the say.
    outweighs = hampered(run) or run.solver.type in ADAPTIVE and pull_of_decay(run) > 1
    sure = sure or outweighs
    if sure or abs(message.weight_decay) > 0.05 or message.weight_decay < 0:
        score = math.log10(abs(message.weight_decay) / 0.0005) if message.weight_decay > 0 else _PROVED
        taken = taken if taken > _DECAYS else math.inf
        changes = of_solver(run, "weight_decay", 0.0005)
        place = run.solver.at("weight_decay")
        score = max(score, STRONG) if outweighs else score if sure else score - 3
        yield Hypothesis(
            "weight-decay", place, score, changes, value=message.weight_decay, figure=taken if sure else math.nan
        )


def _decay_of_layers(run: Run) -> Iterator[Hypothesis]:
    """A decay_mult that makes the decay of a layer take a good part of its weights in every update."""
    message = run.solver.message
    used = max((abs(event.rate) for event in run.iterations[:5] if math.isfinite(event.rate)), default=0.0)
    built_up = 1 - max(message.momentum, 0) if message.momentum < 1 else 1.0
    for layer, high in _written_params(run, lambda param: abs(param.decay_mult) >= _MULTIPLIES):
        most = max(high, key=lambda param: abs(param.decay_mult))
        taken = used * abs(most.lr_mult * most.decay_mult * message.weight_decay) / built_up
        if taken > _PULLS:
            score = math.log10(abs(most.decay_mult))
            changes, place = _of_params(run, layer, high, "decay_mult")
            yield Hypothesis("weight-decay", place, score, changes, "decay_mult", (layer,), most.decay_mult, taken)


def _weights_of_losses(run: Run) -> Iterator[Hypothesis]:
    yield from _dominating(run)
    yield from _off(run)
    away = runs_away(run)
    for layer in run.loss_layers:
        weight = max(layer.loss_weights, key=abs)
        place = run.place(layer.name, 0, "loss_weight")
        if weight < 0 and (layer.never_negative or layer is away):
            changes = of_layer(run, layer, "loss_weight", 0, value=-weight)
            sure = bool(layer.never_negative)
            yield Hypothesis("loss-weight", place, _PROVED, changes, layers=(layer,), value=weight, proved=sure)
        elif 0 < abs(weight) < _LEAST_WEIGHT and len(run.loss_layers) > 1:
            changes = of_layer(run, layer, "loss_weight", 0, value=math.copysign(1, weight))
            yield Hypothesis("loss-weight", place, -math.log10(abs(weight)), changes, "tiny", (layer,), weight)
        elif abs(weight) >= _MULTIPLIES:
            usual = (1.0, _AUXILIARY) if len(run.loss_layers) > 1 else (1.0,)
            each = [of_layer(run, layer, "loss_weight", 0, value=math.copysign(value, weight)) for value in usual]
            changes = tuple(change for one in each for change in one)
            score = math.log10(abs(weight))
            yield Hypothesis("loss-weight", place, score, changes, layers=(layer,), value=weight)


def _off(run: Run) -> Iterator[Hypothesis]:
    """A loss with a weight of 0, although layers that could learn lead to no other. field: `off`."""
    for layer in run.built[0].layers:
        if not layer.is_loss or not layer.bottoms or any(layer.loss_weights) or not layer.message.loss_weight:
            continue
        idle = [one for one in layer.bottoms[0].depends_on if one.learns and one.params and not one.need_backward]
        if idle:
            changes = of_layer(run, layer, "loss_weight", 0, value=1)
            place = run.place(layer.name, 0, "loss_weight")
            yield Hypothesis("loss-weight", place, STRONG, changes, "off", (layer, *idle), 0.0, least=True)


def _dominating(run: Run) -> Iterator[Hypothesis]:
    """One of several losses whose gradient at the layers that they share is many times that of all others.

    Where gradients were not measured, the losses themselves are compared.
    """
    found = trunk(run)
    first = next((event.losses for event in run.started), {})
    values = [(abs(layer.loss_weights[0] * first.get(layer.tops[0].name, 0.0)), layer) for layer in run.loss_layers]
    if found is None and run.first(LossGradient) is not None:
        return
    parts = list(found.pulls) if found is not None else sorted(values, key=lambda pair: -pair[0])
    if len(parts) < 2 or not math.isfinite(parts[0][0]):
        return
    (most, layer), (second, other) = parts[:2]
    if not most > _DOMINATES * second > 0:
        return
    ratio = most / second
    value = {id(one): loss for loss, one in values}
    share = value[id(other)] / value[id(layer)] if value[id(layer)] > 0 else math.nan
    balances = min(1 / ratio, share) if 0 < share < math.inf else 1 / ratio  # its own layers take it, too
    weight = float(f"{layer.loss_weights[0] * balances:.1g}")
    # The less a loss weighs, the more slowly it is learned itself, so the root of what balances is tried first.
    gentle = float(f"{layer.loss_weights[0] * math.sqrt(balances):.1g}")
    wanted = [gentle, weight] if ratio > _FAR_LESS else [weight]
    if ratio > _FAR_LESS**2:
        wanted.append(float(f"{weight / _FAR_LESS:.1g}"))
    if layer.loss_weights[0] > _MULTIPLIES and 1.0 not in wanted:
        wanted.append(1.0)
    changes = tuple(change for value in wanted for change in of_layer(run, layer, "loss_weight", 0, value=value))
    place = run.place(layer.name, 0, "loss_weight")
    score = math.log10(ratio) - 0.5
    large = [one.score for one in _targets(run) if one.layers == (layer,) and one.score >= STRONG]
    large += [one.score for one in expanding(run)]
    if large and layer.loss_weights[0] < _MULTIPLIES:
        score = min(score, max(large) - 0.1)  # what makes the loss so large
    layers = (layer, other, *(found.layers if found is not None else ()))
    yield Hypothesis("loss-weight", place, score, changes, "ratio", layers, layer.loss_weights[0], ratio)


def _multipliers(run: Run) -> Iterator[Hypothesis]:
    for layer, high in _written_params(run, lambda param: abs(param.lr_mult) >= _MULTIPLIES):
        changes, place = _of_params(run, layer, high, "lr_mult")
        most = max((param.lr_mult for param in high), key=abs)
        yield Hypothesis("lr-mult", place, math.log10(abs(most)) - 0.3, changes, layers=(layer,), value=most)


def _written_params(run: Run, wanted: Callable[[Param], bool]) -> Iterator[tuple[BuiltLayer, list[Param]]]:
    """Layers with such parameters among those that the text says something of."""
    for layer in run.built[0].layers:
        if layer.keeps_statistics or layer.message is None:
            continue
        written = [param for param in layer.params or () if param.index < len(layer.message.param)]
        found = [param for param in written if wanted(param)]
        if found:
            yield layer, found


def _of_params(run: Run, layer: BuiltLayer, params: list[Param], field: str) -> tuple[tuple[Change, ...], Place]:
    """That field as 1 in all of these parameters, and where the greatest of them is written."""
    each = [of_layer(run, layer, "param", param.index, field, value=1) for param in params]
    most = max(params, key=lambda param: abs(getattr(param, field)))
    written = written_layer(run, layer)
    place = run.place(layer.name)
    if written is not None:
        place = written.at(*spelled(written, ("param", most.index, field)))
    return of_one(tuple(change for one in each for change in one)), place


def _clipping(run: Run) -> Iterator[Hypothesis]:
    """A recurrent net whose gradient nothing clips."""
    recurrent = tuple(layer for layer in run.built[0].layers if layer.is_recurrent)
    times = clipped(run)
    if times > CLIPPED:
        value = run.solver.message.clip_gradients
        # What grows over the steps of a sequence may need a clip, at what the gradient is at first.
        at_first = of_solver(run, "clip_gradients", float(f"{value * times:.1g}"))
        unclipped = of_solver(run, "clip_gradients", -1)
        changes = (*at_first, *unclipped) if recurrent else (*unclipped, *at_first)
        place, score = run.solver.at("clip_gradients"), math.log10(times)
        yield Hypothesis("clip-gradients", place, score, changes, "tiny", value=value, figure=times)
    if recurrent and not run.solver.message.clip_gradients > 0:
        changes = of_solver(run, "clip_gradients", _CLIPS_AT)
        place = run.place(recurrent[0].name)
        yield Hypothesis("clip-gradients", place, -0.5, changes, "clip_gradients", recurrent)


def rate(run: Run) -> Hypothesis:
    """The rate. The lowest that is still an ordinary one comes first, last that of updates of the usual size."""
    message = run.solver.message
    usual = _USUAL_RATE.get(run.solver.type, 0.1)
    score = max(math.log10(message.base_lr / usual), -1.0) if message.base_lr > 0 else -1.0
    ratio = max(first_ratios(run).values(), default=0.0)
    lowest = message.base_lr * 0.01
    if ratio > _USUAL_UPDATE:
        lowest = min(lowest, max(message.base_lr * _USUAL_UPDATE / ratio, usual * _LOWEST))
    told = _told_to_raise(run)
    slow = _SLOW_IF_TOLD if told else _SLOW_UPDATE
    if 0 < ratio * max(clipped(run), 1) < slow and message.base_lr > 0 and not hardly_begun(run):
        better = float(f"{message.base_lr * _FAST_UPDATE / ratio:.1g}")
        if message.base_lr < better <= usual * _HIGHEST:
            higher = dict.fromkeys((*told, better, min(float(f"{better * 10:.1g}"), usual * _HIGHEST)))
            changes = tuple(change for value in higher for change in of_solver(run, "base_lr", value))
            place = run.solver.at("base_lr")
            return Hypothesis("rate", place, STRONG, changes, "low", value=message.base_lr, figure=ratio)
    if run.solver.type == "AdaDelta" and 0 < message.base_lr < _LOW_FOR_ADADELTA:
        place, changes = run.solver.at("base_lr"), of_solver(run, "base_lr", 1.0)
        return Hypothesis("rate", place, STRONG, changes, "low", value=message.base_lr, figure=ratio)
    wanted = [lowest, message.base_lr * 0.1]
    if ratio > 0 and usual * _LOWEST <= message.base_lr * _USUAL_UPDATE / ratio < lowest / 2:
        wanted.append(message.base_lr * _USUAL_UPDATE / ratio)
    advised = [one.value for one in run.suggested("high-base-lr") if one.value < message.base_lr]
    wanted = [*dict.fromkeys(float(f"{value:.1g}") for value in (*advised, *wanted))]
    changes = tuple(change for value in wanted if value > 0 for change in of_solver(run, "base_lr", value))
    return Hypothesis("rate", run.solver.at("base_lr"), score, changes, "base_lr", value=message.base_lr, figure=ratio)


def _told_to_raise(run: Run) -> list[float]:
    """Rates that a check of the text computed for weights that would barely move, also where it only mentions it."""
    causes = [one.cause for one in run.static if one.name == "weights-barely-move" and one.cause]
    found = [one.suggested for one in causes if one.suggested and one.suggested.field == "base_lr"]
    return [one.value for one in found if one.value > run.solver.message.base_lr]


def _targets(run: Run) -> Iterator[Hypothesis]:
    """A loss that measures a distance to targets that are large."""
    for layer in run.loss_layers:
        if not layer.is_distance and layer.type != "InfogainLoss":
            continue
        for bottom, blob in enumerate(layer.bottoms):
            if layer.reads_classes(bottom):
                continue
            source = blob.original
            while source.producer is not None and source.producer.index is None:
                source = source.producer.bottoms[0]
            maker = source.producer
            if maker is None or not is_of_data(source):
                continue
            found = run.statistics(-1, maker.name, BLOB, source.name, DATA)
            if found is None or is_zero(found) or _SMALL_TARGET < size(found) <= _LARGE_TARGET:
                continue
            largest = max(abs(found.min), abs(found.max))
            if 0 < found.std < abs(found.mean):
                changes = centred_target(run, layer, bottom, found.mean, found.std)
            else:
                changes = scaled_target(run, layer, bottom, largest)
            score = abs(math.log10(size(found))) - 0.5
            place = run.place(layer.name)
            yield Hypothesis("target-scale", place, score, changes, source.name, (layer,), largest, size(found))


def _labels(run: Run) -> Iterator[Hypothesis]:
    """Targets that are to be probabilities, and are not."""
    for layer in run.loss_layers:
        if layer.type != "SigmoidCrossEntropyLoss" or len(layer.bottoms) < 2:
            continue
        found = read_at_first(run, layer, 1)
        if found is None:
            continue
        least = 0.0 if layer.message.loss_param.HasField("ignore_label") else min(found.min, 0.0)
        if least > -_ROUNDED and found.max <= 1 + _ROUNDED:
            continue
        changes = scaled_target(run, layer, 1, found.max, exact=True, least=least)
        place = run.place(layer.name, 0, "bottom", 1)
        yield Hypothesis("labels", place, 5.0, changes, layer.message.bottom[1], (layer,), found.min, found.max)


def _sorted(run: Run) -> Iterator[Hypothesis]:
    """Records that come class by class, so that a batch holds one class alone."""
    for found in run.static:
        layer = next((one for one in run.built[0].layers if one.name == found.layer and not one.bottoms), None)
        if found.name != "sorted-by-label" or layer is None:
            continue
        field = "shuffle"
        changes = of_layer(run, layer, layer.block, field, value="true") if layer.has_setting(field) else ()
        place = run.place(layer.name, 0, layer.block, "source")
        yield Hypothesis("data", place, STRONG, changes, "sorted", (layer,))


def _statistics(run: Run) -> Iterator[Hypothesis]:
    """BatchNorm of the TRAIN net that normalises with stored statistics that are all 0."""
    blank = tuple(
        layer
        for layer in run.built[0].layers
        if layer.type == "BatchNorm"
        and layer.parameters.use_global_stats
        and (found := run.statistics(-1, layer.name, PARAM, 2, DATA)) is not None
        and found.max == 0
    )
    if blank:
        each = [of_layer(run, layer, "batch_norm_param", "use_global_stats", value="false") for layer in blank]
        changes = of_one(tuple(change for one in each for change in one))
        place = run.place(blank[0].name, 0, "batch_norm_param", "use_global_stats")
        yield Hypothesis("statistics", place, 5.0, changes, layers=blank)
