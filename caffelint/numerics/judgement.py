"""What is wrong with the start of a training, in figures, and the one change that mends it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.normalization import BatchNorm
from caffelint.numerics.forward import FILLED, weights_of
from caffelint.numerics.signal import SAMPLE, Signal
from caffelint.numerics.start import Change, Start, start
from caffelint.numerics.updates import Update, updates
from caffelint.numerics.weights import Weights

HOT, LOSS, ALIKE = "hot", "loss", "alike"
FILLER, LOSS_WEIGHT, INPUT, MOMENTUM, RATE = "filler", "loss-weight", "input", "momentum", "rate"
_HOT = 10.0
"""Updates of so many times the weights: of 92 of 500 open projects that had them, 87 did not learn."""
_LOSS = 250.0
_ALIKE = 3e-4
_STILL = 0.1
_COOL = 2.0


class Cure(NamedTuple):
    """kind: of one of the names above. layer: whose, None for the solver. was, is_now: the value that is changed; of a
    filler the standard deviations of the weights, of an input its size."""

    kind: str
    layer: BuiltLayer | None
    was: float
    is_now: float


class Judgement(NamedTuple):
    """kind: what is wrong. size: the ratio of update and weights, of the loss and that of the best constant, or the
    share of the scores that depends on the sample. update: the worst one. layer: the loss, else the worst layer.

    scores: the root mean square of what the loss reads.

    cures: changes each of which mends it by itself, the least usual value first. assumed: does it rest on a guess of
    the scale of the data?
    """

    kind: str
    size: float
    update: Update | None
    layer: BuiltLayer
    scores: float
    cures: tuple[Cure, ...]
    assumed: bool


class _Found(NamedTuple):
    """The figures of a net at a rate."""

    worst: Update | None
    loss: tuple[float, BuiltLayer] | None
    alike: tuple[float, BuiltLayer] | None


def judge(built: BuiltNet, solver: Any, rate: float, data: dict[str, Signal] | None = None) -> Judgement | None:
    """The first thing that is wrong; None where nothing is, or nobody knows. rate: the highest one of the schedule."""
    if any(isinstance(layer, BatchNorm) and layer.uses_global_stats for layer in built.layers):
        return None  # blank statistics, which a rule of their own reports, drown everything else
    given = Change(signals=data or {})
    found = _figures(built, solver, rate, given)
    kind = _kind(found)
    if not kind:
        return None
    update = found.worst
    if kind == HOT and update:
        size, layer = update.ratio, update.param.layer
    else:
        one = found.loss if kind == LOSS else found.alike
        assert one is not None
        size, layer = one
    cures = []
    for cure, change, momentum in _changes(built, solver, given):
        if momentum is not None:
            cured = type(solver)()
            cured.CopyFrom(solver)
            cured.momentum = momentum
        else:
            cured = solver
        after = _figures(built, cured, rate, change)
        if not _kind(after) and (kind != HOT or (after.worst and after.worst.ratio <= _COOL)):
            cures.append(cure)
    if kind == HOT and update:
        cures.append(Cure(RATE, None, rate, rate / size))
    cures.sort(key=_unusual, reverse=True)
    signals = start(built, given).signals
    assumed = any(one.assumed for one in signals.values() if one)
    scores = signals.get(layer.bottoms[0])
    return Judgement(kind, size, update, layer, scores.size if scores else 0.0, tuple(cures), assumed)


def _kind(found: _Found) -> str:
    if found.worst and found.worst.ratio >= _HOT:
        return HOT
    if found.loss and found.loss[0] >= _LOSS:
        return LOSS
    if found.alike and found.alike[0] < _ALIKE and found.worst and found.worst.ratio < _STILL:
        return ALIKE
    return ""


def _unusual(cure: Cure) -> float:
    """How far the value is from what would be usual, in powers of e; the rate comes last."""
    if cure.kind == RATE:
        return 0.0
    return abs(math.log(max(cure.was, 1e-30) / max(cure.is_now, 1e-30)))


def _figures(built: BuiltNet, solver: Any, rate: float, change: Change) -> _Found:
    begin = start(built, change)
    grown = updates(start(built, change, grow=True), solver, rate)
    worst = max(grown, key=lambda one: one.ratio, default=None)
    return _Found(worst, _first_loss(begin), _distinct(begin))


def _first_loss(begin: Start) -> tuple[float, BuiltLayer] | None:
    found = [
        (max(lost.value, lost.unbounded) / lost.guess, layer) for layer, lost in begin.losses.items() if lost.guess
    ]
    return max(found, key=lambda one: one[0], default=None)


def _distinct(begin: Start) -> tuple[float, BuiltLayer] | None:
    """The largest share of the scores of a loss that depends on the sample."""
    found = []
    for layer in begin.losses:
        scores = begin.signals.get(layer.bottoms[0])
        if scores is None or not scores.mean_square > 0:
            return None
        found.append((max(scores.mean_square - scores.kernels[SAMPLE], 0.0) / scores.mean_square, layer))
    return max(found, key=lambda one: one[0], default=None)


def _changes(built: BuiltNet, solver: Any, given: Change) -> Iterator[tuple[Cure, Change, float | None]]:
    """Everything that could be more usual, one by one."""
    if solver.momentum > 0.95:
        yield Cure(MOMENTUM, None, 1 / max(1 - solver.momentum, 1e-6), 10), given, 0.9
    for layer in built.layers:
        if any(layer.loss_weights):
            weight = layer.loss_weights[0]
            if weight != 1:
                yield Cure(LOSS_WEIGHT, layer, abs(weight), 1.0), given._replace(loss_weights={layer: 1.0}), None
    begin = start(built, given)
    for layer in built.layers:
        if layer.is_data and layer.tops:
            one = begin.signals.get(layer.tops[0])
            if one is not None and not 0.02 <= one.size <= 5:
                signals = {**given.signals, layer.tops[0].name: one.times(1 / max(one.size, 1e-30))}
                yield Cure(INPUT, layer, one.size, 1.0), given._replace(signals=signals), None
    odd = sorted(_fillers(built), key=lambda pair: -abs(math.log(pair[1] / pair[2])))
    for layer, was, usual in odd[:3]:
        yield Cure(FILLER, layer, was, usual), given._replace(weights={layer: Weights(0.0, usual**2)}), None


def _fillers(built: BuiltNet) -> Iterator[tuple[BuiltLayer, float, float]]:
    """Layers whose weights are far from those that keep the size of a signal: their size, and the usual one."""
    for layer in built.layers:
        if not layer.has_weights or not layer.param_shapes or not hasattr(layer.parameters, "weight_filler"):
            continue
        found = weights_of(layer, FILLED)
        shape = layer.param_shapes[0]
        inputs = math.prod(shape) / shape[0] if shape and shape[0] else 0
        if found and inputs and found[0].size:
            usual = math.sqrt(2 / inputs)
            if not 0.1 < found[0].size / usual < 4 or (found[0].mean and not found[0].variance):
                yield layer, found[0].size, usual
