"""What is wrong with the start of a training, in figures, and the one change that mends it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.arrange import Split
from caffelint.caffe.layers.normalization import BatchNorm
from caffelint.caffe.net_parts import Blob, Param
from caffelint.numerics.forward import FILLED, weights_of
from caffelint.numerics.laws import heat_by_law
from caffelint.numerics.signal import OTHER, SAMPLE
from caffelint.numerics.start import NO_CHANGE, Change, Start, start
from caffelint.numerics.swings import heat_of_swing, is_bounded
from caffelint.numerics.targets import largest_rate
from caffelint.numerics.updates import (
    SCALED,
    Update,
    clipping,
    edge,
    heat,
    largest_of_biases,
    pulls_of_decay,
    size_of,
    updates,
)
from caffelint.numerics.weights import Weights
from caffelint.text.records import NamedTuple

HOT, OVERSHOOT, LOSS = "hot", "overshoot", "loss"
DECAY, ALIKE, STILL = "decay", "alike", "still"
FILLER, LOSS_WEIGHT, INPUT, MOMENTUM, RATE = "filler", "loss-weight", "input", "momentum", "rate"
CLIP, CLIPS_LESS, WEIGHT_DECAY = "clip-gradients", "clips-less", "weight-decay"
_HOT, _HOT_FAR, _LARGE = 1.9, 4.0, 2.0
"""Heat from which on training is expected to break, that for distances, and the least of the largest update once small
weights have grown. Distances to targets that are far away make the first updates large, and shrink as soon as the
biases have moved. Of solvers whose steps do not grow with the gradients, the heat has to stay once small weights have
grown: after such a step the weights are larger, and the next ones small against them."""
_TIMES = 3.0
"""Of the rate at which a net no longer learns by what tells it other than its two largest updates."""
_LOSS = 250.0
_ALIKE, _ALIKE_SCALED, _ALIKE_EVER = 1e-4, 1e-6, 1e-8
"""The second one for solvers that scale each update to the gradients before it: they also follow small ones. The last
one for updates that are not small and grow with the gradients: they change the scores of all samples alike."""
_SLOW = 0.1
_WITHIN = 0.2
"""Of the largest rate: one to train with."""
_COOL = 1.0
_STILL = 0.3
"""All updates together, against the weights as they begin. Tiny weights make those of other layers grow at that pace
first, so what comes later does not count."""
_ENOUGH = 3.0
"""The same of a training that surely learns."""
TRIAL = 300
"""Iterations. Runs of fewer measure the time, or show that it all works: they are judged as if they went on so long."""
_OVERSHOOT = 2.0
"""Of the rate that theory bears."""
_USUAL_DECAY = 5e-4
_DECAY, _DECAY_GROWN, _DECAY_ALONE = 2.0, 0.1, 1e6
"""The pull of decay against the gradient, of half of the weights; the second one once small weights have grown, as they
may before they decay. From the third one on there is no gradient to speak of, and no smaller decay mends that."""


class Cure(NamedTuple):
    """kind: of one of the names above. layer: whose, None for the solver. was, is_now: the value that is changed; of a
    filler the standard deviations of the weights, of an input its size. others: the layers that change likewise."""

    kind: str
    layer: BuiltLayer | None
    was: float
    is_now: float
    others: tuple[BuiltLayer, ...] = ()


class Judgement(NamedTuple):
    """kind: what is wrong. size: the ratio of update and weights (of STILL that of all updates of the training), of the
    loss and that of the best constant, of the pull of decay and the gradient, of the rate and the largest one that the
    loss bears, or the share of the scores that depends on the sample. update: the largest one. layer: the loss, else
    that of the update.

    scores: the root mean square of what the loss reads.

    cures: changes each of which mends it by itself, the least usual value first.

    at_least: is the size the least, of STILL the most, over data that the net may read, as nothing tells their shape?

    assumed: does nothing tell the shape or the scale of some of the data?

    by_law: of HOT, is the size the rate against the one at which the net no longer learns?
    """

    kind: str
    size: float
    update: Update | None
    layer: BuiltLayer
    scores: float
    cures: tuple[Cure, ...]
    at_least: bool = False
    assumed: bool = False
    by_law: bool = False


class _Found(NamedTuple):
    """The figures of a net at a rate. worst: the largest update, once small weights have grown. heat, later: of the
    updates before they have, and then. moved: all first updates together times all iterations; None where some
    updates are not known. lasts: how many times longer a trial would have to be.

    empty: are there weights that start at 0?

    decay: the median of the pulls of decay against the gradients.

    far: is the loss a distance? overshoots: the rate against the one from which on gradient descent leaves it.

    scaled: does the solver scale each update to the gradients before it?

    times: the rate against the one at which the net no longer learns, where something other than the two largest
    updates tells it.
    """

    worst: Update | None
    heat: float
    later: float
    moved: float | None
    lasts: float
    empty: bool
    decay: float
    far: bool
    overshoots: float
    scaled: bool
    loss: tuple[float, BuiltLayer] | None
    alike: tuple[float, BuiltLayer] | None
    times: float | None


def judge(built: BuiltNet, solver: Any, rate: float, steps: float, given: Change = NO_CHANGE) -> Judgement | None:
    """The first thing that is wrong; None where nothing is, or nobody knows.

    rate: that of the first iteration. steps: how many of these all rates of the training add up to. given: what is
    known beyond the text, such as measured data.
    """
    if not built.is_sound:
        return None
    # Blank statistics and statistics of one value, which have rules of their own, drown everything else.
    norms = [layer for layer in built.layers if isinstance(layer, BatchNorm)]
    if any(layer.uses_global_stats or layer.makes_zeros for layer in norms):
        return None
    found = _figures(built, solver, rate, given, steps)
    kind = _kind(found)
    if not kind:
        return None
    update = found.worst
    if kind == HOT and update:
        size, layer = found.times or update.ratio, update.param.layer
    elif kind == STILL and update and found.moved:
        size, layer = found.moved, update.param.layer
    elif kind == OVERSHOOT:
        size, layer = found.overshoots, next(one for one in built.layers if one.is_distance and any(one.loss_weights))
    elif kind == DECAY and update:
        size, layer = found.decay, update.param.layer
    else:
        one = found.loss if kind == LOSS else found.alike
        assert one is not None
        size, layer = one

    def is_cured(cured: Any, change: Change) -> bool:
        after = _figures(built, cured, rate, change, steps)
        return not _kind(after) and bool(kind != HOT or (after.worst and after.heat <= _COOL))

    cures = cures_of(built, solver, given, is_cured)
    if kind == HOT and update:
        cures.append(Cure(RATE, None, rate, rate * edge(solver) / found.later * _WITHIN))
    if kind == OVERSHOOT:
        cures.append(Cure(RATE, None, rate, rate / size * _WITHIN))
    if kind == DECAY:
        cures.append(Cure(WEIGHT_DECAY, None, solver.weight_decay, solver.weight_decay / size / 10))
    if kind == STILL and update:
        cures.append(Cure(RATE, None, rate, rate * edge(solver) / found.later * _WITHIN))
    if kind == STILL and not any(cure.kind == CLIP for cure in cures):
        cures += _clipped_less(built, solver, given, _ENOUGH / size, edge(solver) / found.later * _WITHIN)
    if kind == LOSS and layer.is_distance and not cures:
        return None  # its gradients are as large as it is: what weights and data of a usual size miss by, comes down
    cures.sort(key=_unusual, reverse=True)
    signals = start(built, given).signals
    scores = signals.get(layer.bottoms[0])
    by_law = kind == HOT and found.times is not None
    return Judgement(kind, size, update, layer, scores.size if scores else 0.0, tuple(cures), by_law=by_law)


def cures_of(built: BuiltNet, solver: Any, given: Change, is_cured: Callable[[Any, Change], bool]) -> list[Cure]:
    """The changes each of which mends it by itself. is_cured: does it hold for a solver and a changed net?"""
    found = []
    for cure, change, fields in _changes(built, solver, given):
        cured = solver
        if fields:
            cured = type(solver)()
            cured.CopyFrom(solver)
            for name, value in fields.items():
                setattr(cured, name, value)
        if is_cured(cured, change):
            found.append(cure)
    return found


def _clipped_less(built: BuiltNet, solver: Any, given: Change, least: float, most: float) -> Iterator[Cure]:
    """Where gradients that are not clipped at all would be too large: a clip between what moves the weights, and what
    they bear, as times of what it is.
    """
    clip = solver.clip_gradients
    if clip > 0 and (share := clipping(start(built, given), solver)) < 1 and least < (most := min(most, 1 / share)):
        yield Cure(CLIPS_LESS, None, clip, clip * math.sqrt(least * most))


def is_calm(built: BuiltNet, solver: Any, rate: float, given: Change = NO_CHANGE) -> bool | None:
    """Are all updates small, also once small weights have grown? None where some are not known."""
    weights = _learning(built)
    grown = start(built, given, grow=True)
    if not weights or not all(param in grown.learned for param in weights):
        return None
    by_law = heat_by_law(start(built, given), solver, rate)
    return (heat(updates(grown, solver, rate)) if by_law is None else by_law) < edge(solver)


def _learning(built: BuiltNet) -> list[Param]:
    """The weights that change, each once where layers share them."""
    every = (layer.params[0] for layer in built.layers if layer.has_weights and layer.params)
    return [param for param in every if param.lr_mult and param.owner is None]


def _kind(found: _Found) -> str:
    heated = min(found.heat, found.later) if found.scaled else found.heat
    if found.times is not None:
        if found.worst and found.times >= _TIMES:
            return HOT
    elif found.worst and found.worst.ratio >= _LARGE and heated >= (_HOT_FAR if found.far else _HOT):
        return HOT
    if found.overshoots >= _OVERSHOOT:
        return OVERSHOOT
    if found.loss and found.loss[0] >= _LOSS:
        return LOSS
    if found.empty:
        return ""  # what is the same for all samples differs as soon as these are no longer 0
    least = _ALIKE_SCALED if found.scaled else _ALIKE
    ever = 0.0 if found.scaled else _ALIKE_EVER
    if found.alike and found.worst and found.alike[0] < (least if found.worst.ratio < _SLOW else ever):
        return ALIKE
    if found.moved and found.moved * found.lasts < _STILL:
        return STILL
    return DECAY if _DECAY <= found.decay < _DECAY_ALONE else ""


def _unusual(cure: Cure) -> float:
    """How far the value is from what would be usual, in powers of e; the rate comes last."""
    if cure.kind == RATE:
        return 0.0
    if cure.kind == WEIGHT_DECAY:
        return max(math.log(max(cure.was, 1e-30) / _USUAL_DECAY), 0.0)
    return abs(math.log(max(cure.was, 1e-30) / max(cure.is_now, 1e-30)))


def _figures(built: BuiltNet, solver: Any, rate: float, change: Change, steps: float) -> _Found:
    begin = start(built, change)
    first = updates(begin, solver, rate)
    weights = _learning(built)
    moved = None
    lasts = TRIAL / solver.max_iter if 0 < solver.max_iter < TRIAL else 1.0
    least = math.hypot(*(one.ratio for one in first)) * steps  # the most that all may come to is no less
    opens = solver.type in SCALED and largest_of_biases(begin, solver, rate) * steps * lasts >= _STILL
    if first and least * lasts < _STILL and not opens and all(param in begin.learned for param in weights):
        moved = math.hypot(*(one.ratio for one in updates(begin, solver, rate, steady=True))) * steps
    drawn = [param.layer for param in weights if param in begin.learned]
    empty = any(not size_of(layer, begin.drawn.get(layer, FILLED)) for layer in drawn)
    decay, distinct = _pull(begin, solver, rate, steps), _distinct(begin)
    grown = first
    by_law = heat_by_law(begin, solver, rate)
    hot = later_hot = heat(first) if by_law is None else by_law
    if by_law is None and is_bounded(begin) and heat_of_swing(begin, solver, rate) < edge(solver):
        hot = 0.0  # all that such updates do is to drive units to their bounds
    cool = hot < _HOT if by_law is None else hot < _TIMES * edge(solver)
    calm = cool and decay < _DECAY and (moved is None or moved * lasts >= _STILL)
    if not calm or distinct is not None and distinct[0] < _ALIKE:  # what follows is half of the work
        later = start(built, change, grow=True)
        grown = updates(later, solver, rate)
        later_hot = heat(grown) if by_law is None else by_law
        if _pull(later, solver, rate, steps) < _DECAY_GROWN:
            decay = 0.0
    far = any(layer.is_distance for layer in begin.losses)
    return _Found(
        max(grown, key=lambda one: one.ratio, default=None),
        hot,
        later_hot,
        moved,
        lasts,
        empty,
        decay,
        far,
        rate / largest_rate(built, solver, change),
        solver.type in SCALED,
        _first_loss(begin, solver.type in SCALED),
        distinct,
        by_law / edge(solver) if by_law is not None else None,
    )


def _pull(begin: Start, solver: Any, rate: float, steps: float) -> float:
    """The median of the pulls of decay, where they shrink the weights before the training ends."""
    pulls = sorted(one.ratio if one.shrinks * steps >= 1 else 0.0 for one in pulls_of_decay(begin, solver, rate))
    middle = len(pulls) // 2
    return (pulls[middle] + pulls[~middle]) / 2 if pulls else 0.0  # statistics takes 3 ms to import


def _first_loss(begin: Start, scaled: bool) -> tuple[float, BuiltLayer] | None:
    found = []
    for layer, lost in begin.losses.items():
        scores, targets = (begin.signals.get(blob) for blob in layer.bottoms[:2]) if layer.is_distance else (None, None)
        if scores and targets and targets.variance and not scaled:
            # How far all targets are from 0 is for the bias to make up, which gradients that are as large do at once.
            found.append((1 + scores.mean_square / targets.variance, layer))
        elif lost.guess:
            found.append((max(lost.value, lost.unbounded) / lost.guess, layer))
    return max(found, key=lambda one: one[0], default=None)


def _distinct(begin: Start) -> tuple[float, BuiltLayer] | None:
    """The largest share of the scores of a loss that depends on the sample."""
    found = []
    for layer in begin.losses:
        scores = begin.signals.get(layer.bottoms[0])
        if scores is None or not scores.mean_square > 0:
            return None
        common = scores.kernels[OTHER + SAMPLE]  # also to all channels, as a bias is that one constant fills
        differs = max(scores.mean_square - scores.kernels[SAMPLE], 0.0)
        found.append((differs / max(scores.mean_square - common, differs) if differs else 0.0, layer))
    return max(found, key=lambda one: one[0], default=None)


def _changes(built: BuiltNet, solver: Any, given: Change) -> Iterator[tuple[Cure, Change, dict[str, float]]]:
    """Everything that could be more usual, one by one; of the solver, the fields that change."""
    if solver.momentum > 0.95:
        yield Cure(MOMENTUM, None, 1 / max(1 - solver.momentum, 1e-6), 10), given, {"momentum": 0.9}
    if solver.clip_gradients > 0:
        share = clipping(start(built, given), solver)
        if share < 1:
            yield Cure(CLIP, None, solver.clip_gradients, solver.clip_gradients / share), given, {"clip_gradients": -1}
    for layer in built.layers:
        if any(layer.loss_weights):
            weight = layer.loss_weights[0]
            if weight != 1:
                yield Cure(LOSS_WEIGHT, layer, abs(weight), 1.0), given._replace(loss_weights={layer: 1.0}), {}
    yield from _inputs(built, given)
    filled = sorted(_fillers(built), key=lambda one: -abs(math.log(one[1] / one[2])))
    odd = [one for one in filled if _is_odd(one, 0.1, 4)]
    for layer, was, usual in odd[:3]:
        yield Cure(FILLER, layer, was, usual), given._replace(weights={layer: Weights(0.0, usual**2)}), {}
    several = [one for one in filled if _is_odd(one, 0.5, 1.6)]
    if len(several) > 1:
        layer, was, usual = several[0]
        weights = {one: Weights(0.0, size**2) for one, _, size in several}
        others = tuple(one for one, _, _ in several[1:])
        yield Cure(FILLER, layer, was, usual, others), given._replace(weights=weights), {}


def _inputs(built: BuiltNet, given: Change) -> Iterator[tuple[Cure, Change, dict[str, float]]]:
    """What the first weights read, made about 1 by a scale of the data."""
    begin = start(built, given)
    raw: dict[Blob, Blob] = {}  # what comes of data without weights, and of which data
    for layer in built.layers:
        if layer.is_data:
            raw.update((top, top) for top in layer.tops)
        elif layer.bottoms and all(blob in raw for blob in layer.bottoms):
            read, source = layer.bottoms[0], raw[layer.bottoms[0]]
            one, data = begin.signals.get(read), begin.signals.get(source)
            if not layer.has_weights:
                raw.update((top, source) for top in layer.tops)
            elif one and data and not 0.02 <= one.size <= 5:
                maker = read.maker or layer
                while isinstance(maker, Split) and maker.bottoms[0].maker:
                    maker = maker.bottoms[0].maker
                signals = {**given.signals, source.name: data.times(1 / max(one.size, 1e-30))}
                yield Cure(INPUT, maker, one.size, 1.0), given._replace(signals=signals), {}
                return


_Filled = tuple[BuiltLayer, float, float]


def _is_odd(one: _Filled, least: float, most: float) -> bool:
    return not least < one[1] / one[2] < most


def _fillers(built: BuiltNet) -> Iterator[_Filled]:
    """Layers with weights: their size, and the one that keeps the size of a signal."""
    for layer in built.layers:
        if not layer.has_weights or not layer.param_shapes or not hasattr(layer.parameters, "weight_filler"):
            continue
        found = weights_of(layer, FILLED)
        shape = layer.param_shapes[0]
        inputs = math.prod(shape) / shape[0] if shape and shape[0] else 0
        if found and inputs and found[0].size:
            usual = math.sqrt(2 / inputs)
            yield layer, found[0].size, usual
