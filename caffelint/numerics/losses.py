"""The first loss and its gradient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from math import prod

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.loss import (
    ContrastiveLoss,
    EuclideanLoss,
    HingeLoss,
    SigmoidCrossEntropyLoss,
    SoftmaxWithLoss,
)
from caffelint.numerics.elements import sigmoid
from caffelint.numerics.forward import shape_of
from caffelint.numerics.hermite import applied
from caffelint.numerics.signal import BOTH, KERNELS, PLACE, SAME, SAMPLE, Signal, bounded, rows, steps, total
from caffelint.numerics.softmax import probabilities
from caffelint.text.records import NamedTuple

FULL, VALID, BATCH_SIZE, NONE = range(4)


class Lost(NamedTuple):
    """value: the loss before its weight. guess: that of the best constant, None where nobody knows it.

    gradients: of the bottoms, before the weight. unbounded: the loss if no number were too small for it.
    """

    value: float
    guess: float | None
    gradients: Sequence[Signal | None]
    unbounded: float = 0.0


@singledispatch
def loss(layer: BuiltLayer, bottoms: Sequence[Signal | None]) -> Lost | None:
    return None


def divisor(layer: BuiltLayer, default: int, samples: float, positions: float) -> float:
    """What the sum over all is divided by (loss_layer.cpp, GetNormalizer; labels are taken to count)."""
    p = layer.message.loss_param
    mode = default
    if p.HasField("normalization"):
        mode = p.normalization
    elif p.HasField("normalize"):
        mode = VALID if p.normalize else BATCH_SIZE
    return max({FULL: samples * positions, VALID: samples * positions, BATCH_SIZE: samples}.get(mode, 1.0), 1.0)


@loss.register(SoftmaxWithLoss)
def _(layer: SoftmaxWithLoss, bottoms: Sequence[Signal | None]) -> Lost | None:
    scores = bottoms[0]
    shape = shape_of(layer)
    axis = layer.class_axis
    if scores is None or not -len(shape) <= axis < len(shape) or shape[axis] < 2:
        return None
    classes = shape[axis]
    positions = prod(shape[axis + 1 :])
    samples = prod(shape[: axis % len(shape)])
    in_steps = axis == 2 and len(shape) == 3
    found, own = probabilities(rows(scores) if in_steps else scores, classes)
    by = divisor(layer, VALID, samples, positions)
    chance = 1 / classes
    kernels = [found[SAME] + chance - 2 * chance * chance]
    kernels += [max(found[pair] - chance * chance, 0.0) for pair in (PLACE, SAMPLE, BOTH)]
    kernels += [-one / (classes - 1) for one in kernels]
    gradient = Signal(0.0, tuple(one / (by * by) for one in kernels), scores.assumed)
    if in_steps:
        gradient = steps(gradient)
    times = samples * positions / by
    return Lost(own.bounded_loss * times, math.log(classes) * times, [gradient], own.loss * times)


@loss.register(SigmoidCrossEntropyLoss)
def _(layer: SigmoidCrossEntropyLoss, bottoms: Sequence[Signal | None]) -> Lost | None:
    scores = bottoms[0]
    if scores is None:
        return None
    shape = shape_of(layer)
    each = float(prod(shape[1:]))
    by = divisor(layer, BATCH_SIZE, shape[0], each)
    found = applied(sigmoid, scores)
    target = bottoms[1]
    if target is not None and target.assumed and all(one.is_loss for one, _ in layer.bottoms[1].original.readers):
        target = None  # what is read as targets alone is taken to hold what the loss takes
    gradient = total([found, target or _HALVES], [1.0, -1.0]).times(1 / by)
    value = applied(_softplus_half, scores).mean * shape[0] * each / by
    return Lost(bounded(value), math.log(2) * shape[0] * each / by, [gradient])


_HALVES = Signal(0.5, (0.5, *[0.25] * (KERNELS - 1)), True)
"""Targets of 0 and 1, as many of each as chance has it."""


def _softplus_half(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x))) - x / 2


@loss.register(EuclideanLoss)
def _(layer: EuclideanLoss, bottoms: Sequence[Signal | None]) -> Lost | None:
    first, second = bottoms[0], bottoms[1]
    if first is None:
        return None
    shape = shape_of(layer)
    samples = max(float(shape[0]), 1.0)
    target = second or TARGET
    difference = total([first, target], [1.0, -1.0])
    one = difference.times(1 / samples)
    value = difference.mean_square * prod(shape[1:]) / 2
    spread = target.variance * prod(shape[1:]) / 2
    return Lost(bounded(value), spread or None, [one, one])


TARGET = Signal(0.5, (0.5, *[0.25] * (KERNELS - 1)), True)
"""Of targets that nobody has seen: numbers about 1."""


@loss.register(HingeLoss)
def _(layer: HingeLoss, bottoms: Sequence[Signal | None]) -> Lost | None:
    scores = bottoms[0]
    if scores is None:
        return None
    shape = shape_of(layer)
    samples = max(float(shape[0]), 1.0)
    classes = prod(shape[1:])
    value = applied(_hinge, scores)
    squared = layer.parameters.norm == 2
    gradient = value.times(2 / samples) if squared else applied(_beyond, scores).times(1 / samples)
    return Lost(bounded((value.mean_square if squared else value.mean) * classes), None, [gradient])


def _hinge(x: float) -> float:
    return max(0.0, 1 + x)


def _beyond(x: float) -> float:
    return 1.0 if x > -1 else 0.0


@loss.register(ContrastiveLoss)
def _(layer: ContrastiveLoss, bottoms: Sequence[Signal | None]) -> Lost | None:
    first, second = bottoms[0], bottoms[1]
    if first is None or second is None:
        return None
    shape = shape_of(layer)
    samples, size = max(float(shape[0]), 1.0), max(float(prod(shape[1:])), 1.0)
    margin = layer.parameters.margin
    # The two halves share their weights: what two samples have in common is no difference.
    kernels = tuple(max(2 * (first.kernels[k] - first.kernels[k | SAMPLE]), 0.0) for k in range(KERNELS))
    distance = math.sqrt(size * kernels[SAME])
    push = (max(margin - distance, 0.0) / distance) ** 2 if distance else 0.0
    alike = bottoms[2].mean if bottoms[2] is not None else 0.5
    gradient = Signal(0.0, tuple(one * (alike + (1 - alike) * push) / samples**2 for one in kernels), first.assumed)
    value = (alike * kernels[SAME] * size + (1 - alike) * max(margin - distance, 0.0) ** 2) / 2
    return Lost(bounded(value), None, [gradient, gradient])
