"""What of a net may be to blame."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.normalization import BatchNorm
from caffelint.caffe.net_parts import Blob
from caffelint.evidence.log.beginning import Beginning
from caffelint.evidence.log.recovered import Recovered
from caffelint.evidence.log.suspects.suspect import (
    ALIKE,
    BIAS,
    BREAKS,
    DECAY_MULT,
    DOMAIN,
    DOMINATES,
    DROPOUT,
    EPS,
    FILLER,
    FIRST,
    FLAT,
    FROZEN,
    INDEX,
    INFOGAIN,
    INPUT,
    LARGE,
    LAST_RELU,
    LOSS_WEIGHT,
    LR_MULT,
    NO_DATA,
    NO_GRADIENT,
    NO_SCALE,
    NO_WEIGHTS,
    SATURATES,
    STATISTICS,
    SUDDEN,
    SUMMED,
    VANISHES,
    Suspect,
)
from caffelint.evidence.log.trend import summed
from caffelint.evidence.log.values import TRAIN, Logged
from caffelint.numerics.weights import weights as filled

_HIGH, _LOW = 8.0, 1 / 8
"""Of the weights that keep the size of a signal."""
_HIGHER, _LARGE_SCORES = 1.6, 30.0
_FEW = 4
_BIAS = 2.0
_LARGE_WEIGHT, _SMALL_WEIGHT = 8.0, 0.1
_MANY = 8
_MULTIPLIES = 8.0
_DOMINATES = 50.0
_VANISHED = 1e-3
_DROPS = 0.85
_LARGE_EPS = 0.1
_STEEP = 10.0
_BRIGHT, _DARK = 30.0, 1e-3


def of_net(run: Logged, recovered: Recovered, beginning: Beginning) -> Iterator[Suspect]:
    built = recovered.built
    if built is None or built.refusals:
        return
    fresh = not run.weights and run.restored is None
    if fresh:
        yield from _fillers(built, recovered, beginning)
        yield from _frozen(built, recovered)
    yield from _losses(run, built, recovered)
    yield from _cut_off(built, recovered)
    yield from _multipliers(built, recovered)
    yield from _inputs(built, recovered, beginning, fresh)
    yield from _domains(built, recovered)
    yield from _without_data(built, recovered)
    yield from _rectified(built, recovered)
    blank = [layer for layer in built.layers if isinstance(layer, BatchNorm) and layer.uses_global_stats]
    if fresh and blank:
        line = recovered.line_of(blank[0].name, "batch_norm_param", "use_global_stats")
        yield Suspect(STATISTICS, 1.95, (FIRST, LARGE, BREAKS, SUDDEN, FLAT), line, blank[0].name)
    for layer in built.layers:
        if fresh and layer.type == "Scale" and len(layer.bottoms) == 1 and layer.message is not None:
            filler = layer.parameters.filler
            factor = filler.value if layer.parameters.HasField("filler") else 1.0
            if filler.type == "constant" and abs(factor) < _DARK * 10:
                line = recovered.line_of(layer.name, "scale_param", "filler")
                yield Suspect(NO_SCALE, 2.5, (FLAT,), line, layer.name, value=factor)
        if isinstance(layer, BatchNorm) and layer.parameters.eps > _LARGE_EPS:
            line = recovered.line_of(layer.name, "batch_norm_param", "eps")
            eps = layer.parameters.eps
            yield Suspect(EPS, 2 + math.log10(eps / _LARGE_EPS), (FLAT,), line, layer.name, eps)
        if layer.type == "Embed":
            line = recovered.line_of(layer.name, "embed_param", "input_dim")
            yield Suspect(INDEX, 1.7, (FIRST, SUDDEN), line, layer.name, layer.parameters.input_dim)
        if layer.type == "Dropout" and layer.parameters.dropout_ratio > _DROPS:
            ratio = layer.parameters.dropout_ratio
            score = -math.log10(max(1 - ratio, 1e-6))
            line = recovered.line_of(layer.name, "dropout_param", "dropout_ratio")
            yield Suspect(DROPOUT, score, (FLAT, BREAKS, SUDDEN), line, layer.name, value=ratio)


def _fillers(built: BuiltNet, recovered: Recovered, beginning: Beginning) -> Iterator[Suspect]:
    odd: list[tuple[float, BuiltLayer, float, float]] = []
    for layer in built.layers:
        if not layer.has_weights or not layer.param_shapes or not hasattr(layer.parameters, "weight_filler"):
            continue
        filler = layer.parameters.weight_filler
        if not (layer.params and layer.params[0].lr_mult) and filler.type == "bilinear":
            continue
        shape = layer.param_shapes[0]
        inputs = math.prod(shape[1:]) if shape and shape[0] else 0
        weights = filled(filler, shape)
        if weights is None or inputs <= 0:
            continue
        line = recovered.line_of(layer.name, layer.block, "weight_filler")
        usual = math.sqrt(2 / inputs)
        if not weights.size:
            last = any(reader.is_loss for top in layer.tops for reader, _ in top.readers)
            yield Suspect(NO_WEIGHTS, 0.3 if last else 3.0, (FLAT,), line, layer.name)
        elif not weights.variance and shape[0] > 1 and filler.type == "constant":
            yield Suspect(
                ALIKE, 2.0, (FLAT, BREAKS) if weights.size > usual else (FLAT,), line, layer.name, value=weights.mean
            )
        else:
            odd.append((weights.size / usual, layer, weights.size, usual))
        yield from _bias(layer, recovered)
    large = beginning.scores is not None and beginning.scores > _LARGE_SCORES
    high = sorted((one for one in odd if one[0] > (_HIGHER if large else _HIGH)), key=lambda one: -one[0])
    low = sorted((one for one in odd if one[0] < _LOW), key=lambda one: one[0])
    if high:
        ratio, layer, size, usual = high[0]
        score = sum(math.log10(one[0]) for one in high) + 0.3
        line = recovered.line_of(layer.name, layer.block, "weight_filler")
        yield Suspect(FILLER, score, (BREAKS, LARGE, FLAT, FIRST), line, layer.name, size, ratio, len(high) - 1)
    if low:
        ratio, layer, size, usual = low[0]
        line = recovered.line_of(layer.name, layer.block, "weight_filler")
        score = max(-math.log10(max(ratio, 1e-30)) - 1, 0.3)
        scores = beginning.scores
        if scores is not None and scores < _VANISHED:
            score = min(1 - math.log10(max(scores, 1e-12)) / 2, 4.0)
        yield Suspect(FILLER, score, (FLAT,), line, layer.name, size, ratio, len(low) - 1)
    elif beginning.scores is not None and beginning.scores < _VANISHED and odd:
        ratio, layer, size, usual = min(odd, key=lambda one: one[0])
        line = recovered.line_of(layer.name, layer.block, "weight_filler")
        several = len([one for one in odd if one[0] < 0.7])
        score = min(1 - math.log10(max(beginning.scores, 1e-12)) / 2, 2.0)
        yield Suspect(VANISHES, score, (FLAT,), line, layer.name, size, beginning.scores, max(several - 1, 0))
    bends = [layer for layer in built.layers if _saturates(layer) and layer.need_backward]
    fades = beginning.fades
    if len(bends) >= _FEW:
        score = 0.5 * (len(bends) - _FEW + 1)
        if fades is not None:
            score = -math.log10(max(fades, 1e-12)) / 2
        line = recovered.line_of(bends[0].name)
        kind = bends[0].type
        figure = fades if fades is not None else math.nan
        yield Suspect(SATURATES, score, (FLAT,), line, bends[0].name, figure=figure, more=len(bends) - 1, name=kind)


def _saturates(layer: BuiltLayer) -> bool:
    return bool(layer.is_activation and layer.reads_top and not layer.rectifies)


def _domains(built: BuiltNet, recovered: Recovered) -> Iterator[Suspect]:
    """Layers that are not finite at 0 or below, and read what may be there."""
    for layer in built.layers:
        power = math.nan
        if layer.type == "Power":
            power = layer.parameters.power
            whole = math.isfinite(power) and power == int(power)
            odd = (power < 0 or not whole) and layer.parameters.shift == 0
        else:
            odd = layer.type == "Exp" or (layer.type == "Log" and layer.parameters.shift == 0)
        if odd:
            line = recovered.line_of(layer.name)
            steep = layer.type == "Exp" and abs(layer.parameters.scale) > _STEEP
            power = layer.parameters.scale if steep else power
            yield Suspect(
                DOMAIN,
                2.5 if steep else 2.0,
                (FIRST, LARGE) if steep else (FIRST,),
                line,
                layer.name,
                power,
                name=layer.type,
            )
            yield Suspect(DOMAIN, 1.4, (SUDDEN, BREAKS), line, layer.name, power, name=layer.type)


def _bias(layer: BuiltLayer, recovered: Recovered) -> Iterator[Suspect]:
    """A bias far from 0; below it, nothing comes through a ReLU."""
    filler = getattr(layer.parameters, "bias_filler", None)
    if filler is None or filler.type != "constant" or abs(filler.value) < _BIAS or len(layer.param_shapes or ()) < 2:
        return
    line = recovered.line_of(layer.name, layer.block, "bias_filler")
    dead = filler.value < 0 and any(reader.rectifies for top in layer.tops for reader, _ in top.readers)
    score = math.log10(abs(filler.value)) + (1.5 if dead else 0.0)
    yield Suspect(BIAS, score, (FLAT, LARGE), line, layer.name, value=filler.value, more=int(dead))


def _frozen(built: BuiltNet, recovered: Recovered) -> Iterator[Suspect]:
    """Layers that never change from what their fillers drew."""
    trained = [layer for layer in built.layers if layer.has_weights and layer.params]
    frozen = [layer for layer in trained if layer.params and not layer.params[0].lr_mult]
    frozen = [layer for layer in frozen if layer.type != "Deconvolution"]
    for layer in frozen:
        filler = getattr(layer.parameters, "weight_filler", None)
        if filler is not None and filler.type == "constant" and not filler.value:
            line = recovered.line_of(layer.name, "param")
            yield Suspect(FROZEN, 3.0, (FLAT,), line, layer.name, 0.0, 1.0)
    if frozen and 2 * len(frozen) > len(trained):
        share = len(frozen) / len(trained)
        line = recovered.line_of(frozen[0].name, "param")
        yield Suspect(FROZEN, 1 + 2 * share, (FLAT,), line, frozen[0].name, figure=share, more=len(frozen) - 1)


def _losses(run: Logged, built: BuiltNet, recovered: Recovered) -> Iterator[Suspect]:
    losses = [layer for layer in built.layers if any(layer.loss_weights[: len(layer.tops)])]
    adapts = recovered.solver is not None and recovered.solver.type in ("Adam", "AdaGrad", "RMSProp", "AdaDelta")
    sizes = [abs(_weighed(layer)[0]) for layer in losses]
    heaviest = max((size for size in sizes if not math.isnan(size)), default=0.0)
    for layer in losses:
        weight, _ = _weighed(layer)
        line = recovered.line_of(layer.name, "loss_weight")
        alone = abs(weight) >= heaviest
        score = abs(math.log10(abs(weight))) - (1.0 if adapts else 0.0)
        if weight < 0 and layer.never_negative:
            yield Suspect(LOSS_WEIGHT, 4.0, (BREAKS,), line, layer.name, weight)
        elif abs(weight) > _LARGE_WEIGHT and alone:
            yield Suspect(LOSS_WEIGHT, score, (BREAKS, SUDDEN, FLAT), line, layer.name, weight)
        elif abs(weight) <= _SMALL_WEIGHT and alone:
            yield Suspect(LOSS_WEIGHT, score, (FLAT,), line, layer.name, weight)
        terms = summed(layer)
        if terms > _MANY:
            line = recovered.line_of(layer.name, "loss_param")
            yield Suspect(SUMMED, math.log10(terms) - 0.2, (BREAKS, LARGE, FLAT), line, layer.name, figure=terms)
        if layer.type == "InfogainLoss":
            yield from _infogain(run, layer, recovered)
    yield from _dominating(run, losses, recovered)


def _weighed(layer: BuiltLayer) -> tuple[float, str]:
    """The first weight of a loss that is not 0, of finite ones where there are such, and the top that it is for."""
    given = [(weight, top.name) for weight, top in zip(layer.loss_weights, layer.tops, strict=False) if weight]
    finite = [one for one in given if math.isfinite(one[0])]
    return (finite or given)[0]


def _infogain(run: Logged, layer: BuiltLayer, recovered: Recovered) -> Iterator[Suspect]:
    series = run.of(TRAIN, layer.tops[0].name)
    first = series.points[0].value if series and series.points else math.nan
    scores = layer.bottoms[0].shape if layer.bottoms else None
    axis = layer.class_axis
    classes = scores[axis] if scores and -len(scores) <= axis < len(scores) else 0
    times = abs(first) / math.log(classes) if classes > 1 and math.isfinite(first) else math.nan
    score = 2.0 if not math.isfinite(first) else 0.5 + math.log10(max(times, 1.0)) if times == times else 1.0
    score = 3.0 if first == 0 else score
    line = recovered.line_of(layer.name, "infogain_loss_param", "source")
    name = layer.parameters.source
    yield Suspect(INFOGAIN, score, (FIRST, LARGE, BREAKS, SUDDEN, FLAT), line, layer.name, first, times, name=name)


def _dominating(run: Logged, losses: list[BuiltLayer], recovered: Recovered) -> Iterator[Suspect]:
    """One of several losses that is many times the others."""
    found = []
    for layer in losses:
        weight, top = _weighed(layer)
        series = run.of(TRAIN, top)
        first = series.points[0].value if series and series.points else math.nan
        if math.isfinite(first * weight):
            found.append((abs(first * weight), layer))
    found.sort(key=lambda one: -one[0])
    if len(found) > 1 and found[0][0] > _DOMINATES * found[1][0] > 0:
        (most, layer), (second, other) = found[:2]
        line = recovered.line_of(layer.name, "loss_weight")
        ratio = most / second
        score = min(math.log10(ratio) - 0.4, 3.0)
        weight, _ = _weighed(layer)
        yield Suspect(DOMINATES, score, (BREAKS, FLAT, SUDDEN), line, layer.name, weight, ratio, name=other.name)


def _cut_off(built: BuiltNet, recovered: Recovered) -> Iterator[Suspect]:
    """`propagate_down: false` above layers that were to learn; each is said of the first that cuts it off."""
    seen = _reached(built)
    for layer in built.layers:
        given = list(layer.message.propagate_down) if layer.message is not None else []
        for number, goes in enumerate(given):
            if not goes and number < len(layer.bottoms) and (lost := _learnable(layer.bottoms[number], seen)):
                line = recovered.line_of(layer.name, "propagate_down")
                yield Suspect(NO_GRADIENT, 2.5, (FLAT,), line, layer.name, more=len(lost), name=lost[-1])
                break


def _without_data(built: BuiltNet, recovered: Recovered) -> Iterator[Suspect]:
    """A loss whose scores are made of nothing that is read: the data do not get there."""
    others = [layer for layer in built.layers if layer.is_data and layer.data_source]
    if not others:
        return
    made: dict[BuiltLayer, BuiltLayer | None] = {}
    """What a layer is made of in the end: one of the layers that make it, None where some are not dummy data."""
    for layer in built.layers:
        above = [made[blob.producer] for blob in layer.bottoms if blob.producer in made]
        if not layer.bottoms:
            made[layer] = layer if layer.type == "DummyData" else None
        elif above:
            made[layer] = above[-1] if all(above) else None
        producer = layer.bottoms[0].producer if layer.bottoms and any(layer.loss_weights) else None
        maker = made.get(producer) if producer is not None else None
        if maker is not None:
            line = recovered.line_of(maker.name)
            yield Suspect(NO_DATA, 3.0, (FLAT,), line, maker.name, name=others[0].name)


def _reached(built: BuiltNet) -> set[BuiltLayer]:
    """Layers that a gradient comes to: from a loss, or from a layer of an unknown type, which may be one."""
    found: set[BuiltLayer] = set()
    for layer in reversed(built.layers):
        if layer in found or not layer.known or any(layer.loss_weights):
            given = list(layer.message.propagate_down) if layer.message is not None else []
            stopped = {number for number, goes in enumerate(given) if not goes}
            makers = [blob.producer for number, blob in enumerate(layer.bottoms) if number not in stopped]
            found |= {maker for maker in makers if maker is not None}
    return found


def _learnable(blob: Blob, seen: set[BuiltLayer]) -> list[str]:
    """Layers that learn and that a blob is made of, but for those seen and what these are made of."""
    found: list[str] = []
    queue = [blob]
    while queue:
        maker = queue.pop().producer
        if maker is not None and maker not in seen:
            seen.add(maker)
            queue += maker.bottoms
            if maker.has_weights and any(param.lr_mult for param in maker.params or ()):
                found.append(maker.name)
    return found


def _multipliers(built: BuiltNet, recovered: Recovered) -> Iterator[Suspect]:
    for layer in built.layers:
        given = len(layer.message.param) if layer.message is not None else 0
        params = [param for param in (layer.params or ())[:given] if not layer.keeps_statistics]
        for kind, field, effects in ((LR_MULT, "lr_mult", (BREAKS, FLAT)), (DECAY_MULT, "decay_mult", (FLAT,))):
            most = max((one for param in params if not math.isnan(one := getattr(param, field))), key=abs, default=0.0)
            if abs(most) > _MULTIPLIES or most < 0:
                score = math.log10(abs(most)) + 0.2 if most > 0 else 3.0
                line = recovered.line_of(layer.name, "param")
                yield Suspect(kind, score, effects if most > 0 else (BREAKS,), line, layer.name, value=most)


def _rectified(built: BuiltNet, recovered: Recovered) -> Iterator[Suspect]:
    """Scores of classes, of which none can fall below 0."""
    for loss in built.layers:
        last = loss.bottoms[0].maker if loss.bottoms and loss.is_loss and loss.reads_classes(1) else None
        if last is not None and last.rectifies:
            yield Suspect(LAST_RELU, 1.5, (FLAT,), recovered.line_of(last.name), last.name, name=loss.name)


def _inputs(built: BuiltNet, recovered: Recovered, beginning: Beginning, fresh: bool) -> Iterator[Suspect]:
    """Data whose values the text gives, or scales, far from 1. Weights that were loaded were made for them, and fillers
    may be.
    """
    bears = not fresh or (beginning.scores is not None and beginning.scores < _LARGE_SCORES)
    for layer in built.layers:
        scale = layer.factor
        maker = layer.bottoms[0].maker if scale and layer.bottoms else None
        if maker is not None and maker.is_data and scale and abs(scale) < _DARK:
            line = recovered.line_of(layer.name, "power_param", "scale")
            yield Suspect(INPUT, -math.log10(abs(scale)), (FLAT,), line, layer.name, scale, abs(scale))
        if layer.bottoms or not layer.transforms or layer.message is None:
            continue
        scale = layer.message.transform_param.scale
        line = recovered.line_of(layer.name, "transform_param", "scale")
        pixels = 255.0 if layer.prefetches else 1.0
        size = abs(scale) * pixels
        if size > _BRIGHT and not bears:
            score = math.log10(size) - (1.2 if size < 300 else 0.0)
            yield Suspect(INPUT, score, (LARGE, BREAKS, FLAT), line, layer.name, scale, size)
        elif size < _DARK:
            yield Suspect(INPUT, -math.log10(max(size, 1e-12)) - 1, (FLAT,), line, layer.name, scale, size)
