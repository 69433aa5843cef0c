"""Layers of forks that are common: those of SSD, SegNet, PSPNet, DeepLab and Fast R-CNN."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import prod

from caffelint.caffe.layers.loss import DistanceLoss
from caffelint.caffe.layers.normalization import BN, Normalize
from caffelint.caffe.layers.resample import Interp
from caffelint.numerics.backward import Bottoms, Found, Grads, backward
from caffelint.numerics.elements import clipped, made, sign
from caffelint.numerics.forward import Drawn, Known, Tops, centred, forward, places, shape_of
from caffelint.numerics.hermite import applied
from caffelint.numerics.losses import TARGET, Lost, loss
from caffelint.numerics.signal import KERNELS, PLACE, SAME, Signal, bounded, total
from caffelint.numerics.weights import weights


def _length(layer: Normalize, bottom: Signal) -> float | None:
    """What each value is multiplied by: the scale that is learned, over the length of a pixel or of a sample."""
    p, shape = layer.parameters, shape_of(layer)
    if layer.param_shapes is None or not bottom.mean_square > 0:
        return None
    scale = weights(p.scale_filler, layer.param_shapes[0]) if p.HasField("scale_filler") else None
    count = prod(shape[1:]) if p.across_spatial else shape[1]
    return (scale.size if scale else 1.0) / math.sqrt(count * bottom.mean_square)


@forward.register(Normalize)
def _(layer: Normalize, bottoms: Known, drawn: Drawn) -> Tops:
    factor = _length(layer, bottoms[0])
    return [bottoms[0].times(factor)] if factor else None


@backward.register(Normalize)
def _(layer: Normalize, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    factor = _length(layer, bottoms[0])
    return [tops[0].times(factor)] if factor else None


def _factor(layer: BN, bottom: Signal) -> float | None:
    """What each value is multiplied by, once the mean of its channel is taken away."""
    p = layer.message.bn_param
    names = {field.name for field, _ in p.ListFields()}
    if layer.phase != "TRAIN" or names & {"frozen", "bn_mode"}:
        return None  # the statistics are not those of the batch
    filler = next((getattr(p, name) for name in ("slope_filler", "scale_filler") if name in names), None)
    slope = weights(filler, (1,)) if filler is not None else None
    _, variance = centred(layer, bottom)
    return (slope.size if slope else 1.0) / math.sqrt(variance) if variance > 0 else None


@forward.register(BN)
def _(layer: BN, bottoms: Known, drawn: Drawn) -> Tops:
    factor = _factor(layer, bottoms[0])
    return [_centred(layer, bottoms[0], factor)] if factor else None


@backward.register(BN)
def _(layer: BN, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    factor = _factor(layer, bottoms[0])
    return [_centred(layer, tops[0], factor)] if factor else None


def _centred(layer: BN, one: Signal, factor: float) -> Signal:
    kernels, _ = centred(layer, one)
    return Signal(0.0, tuple(bounded(kernel * factor * factor) for kernel in kernels), one.assumed)


@forward.register(Interp)
def _(layer: Interp, bottoms: Known, drawn: Drawn) -> Tops:
    return [bottoms[0]]


@backward.register(Interp)
def _(layer: Interp, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    before, after = places(shape_of(layer)), places(layer.tops[0].shape or ())
    if not before or not after:
        return None
    share, one = after / before, tops[0]
    own = min(share * _SQUARES, share * share)
    k = one.kernels
    kernels = [own * k[SAME] + (share * share - own) * k[PLACE]]
    kernels += [share * share * k[pair] for pair in range(1, KERNELS)]
    return [Signal(one.mean * share, tuple(map(bounded, kernels)), one.assumed), *[None] * (len(bottoms) - 1)]


_SQUARES = 4 / 9
"""The mean square of what a pixel gives to those around it, in two directions: that of 1 - x, from 0 to 1, twice."""


@loss.register(DistanceLoss)
def _(layer: DistanceLoss, bottoms: Sequence[Signal | None]) -> Lost | None:
    """smooth_L1_loss_layer.cpp of Fast R-CNN without its weights: the distance, and its square where it is below 1."""
    first = bottoms[0]
    if first is None or len(bottoms) != 2:
        return None
    shape = shape_of(layer)
    samples = max(float(shape[0]), 1.0)
    difference = total([first, bottoms[1] or TARGET], [1.0, -1.0])
    smooth = layer.type == "SmoothL1Loss"
    gradient = applied(made(clipped, -1.0, 1.0) if smooth else sign, difference).times(1 / samples)
    value = applied(_smooth if smooth else abs, difference).mean
    return Lost(bounded(value * prod(shape[1:])), None, [gradient, gradient])


def _smooth(x: float) -> float:
    return x * x / 2 if abs(x) < 1 else abs(x) - 0.5
