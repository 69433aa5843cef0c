"""From the signals of a layer's bottoms to those of its tops, by its class; a class without a transfer gives None."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache, singledispatch
from math import prod

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.arrange import Crop, Flatten, Reshape, Split
from caffelint.caffe.layers.concat import Concat, Slice
from caffelint.caffe.layers.convolution import Convolution, Deconvolution
from caffelint.caffe.layers.data import DataLayer, DummyData, Transformed
from caffelint.caffe.layers.linear import Embed, InnerProduct
from caffelint.caffe.layers.neuron import Dropout, Neuron, Power
from caffelint.caffe.layers.normalization import LRN, MVN, BatchNorm
from caffelint.caffe.layers.pooling import Pooling
from caffelint.caffe.layers.reduce import Eltwise, Softmax
from caffelint.caffe.layers.resample import Permute, ShuffleChannel
from caffelint.caffe.layers.scale import Bias, Scale
from caffelint.caffe.shapes import Shape
from caffelint.numerics.elements import functions_of
from caffelint.numerics.hermite import applied
from caffelint.numerics.signal import (
    BOTH,
    OTHER,
    PLACE,
    SAME,
    SAMPLE,
    Signal,
    bounded,
    constant,
    independent,
    mixed,
    product,
    rows,
    steps,
    total,
)
from caffelint.numerics.softmax import softmax
from caffelint.numerics.taps import read, written
from caffelint.numerics.weights import Weights, weights
from caffelint.text.records import NamedTuple

Known = Sequence[Signal]
Tops = Sequence[Signal | None] | None


def places(shape: Shape) -> int:
    """Positions of one channel of one sample."""
    return prod(shape[2:])


class Pixels:
    """What is taken of a source of images: 0 to 255, neighbours and colours alike."""

    mean, spread, near, far, colour = 115.0, 65.0, 0.35, 0.08, 0.9


class Drawn(NamedTuple):
    """What the weights of a layer begin with. factor: by which they have grown. weights: instead of the filler's."""

    factor: float = 1.0
    weights: Weights | None = None


@singledispatch
def forward(layer: BuiltLayer, bottoms: Known, drawn: Drawn) -> Tops:
    return None


def shape_of(layer: BuiltLayer, bottom: int = 0) -> Shape:
    shape = layer.bottoms[bottom].shape
    assert shape is not None
    return shape


# Data


@forward.register(DataLayer)
def _(layer: DataLayer, bottoms: Known, drawn: Drawn) -> Tops:
    return [unit(), *[None] * (len(layer.tops) - 1)]


def unit() -> Signal:
    """Of data of any kind: numbers about 1."""
    return images(0.3, 0.3)


def images(mean: float, spread: float) -> Signal:
    variance = spread * spread
    square = mean * mean
    near, far = Pixels.near * variance, Pixels.far * variance
    same = [variance, near, 3 * far, far]
    other = [Pixels.colour * one for one in same]
    return Signal(mean, tuple(square + one for one in [*same, *other]), True)


@forward.register(Transformed)
def _(layer: Transformed, bottoms: Known, drawn: Drawn) -> Tops:
    t = layer.message.transform_param
    means = list(t.mean_value)
    mean, spread = Pixels.mean, Pixels.spread
    if means:
        mean -= sum(means) / len(means)
    elif t.mean_file:
        mean = 0.0
    return [images(mean * t.scale, spread * abs(t.scale)), *[None] * (len(layer.tops) - 1)]


@forward.register(DummyData)
def _(layer: DummyData, bottoms: Known, drawn: Drawn) -> Tops:
    fillers = layer.parameters.data_filler
    found: list[Signal | None] = []
    for number, top in enumerate(layer.tops):
        if not fillers:
            found.append(constant(0.0))
            continue
        one = weights(fillers[number if len(fillers) > 1 else 0], top.shape or ())
        found.append(independent(one.mean, one.variance) if one else None)
    return found


# Layers with weights


def weights_of(layer: BuiltLayer, drawn: Drawn) -> tuple[Weights, Weights] | None:
    """What the weights and the bias begin with."""
    if _FILLED not in layer.__dict__:
        layer.__dict__[_FILLED] = _filled(layer)
    main, bias = layer.__dict__[_FILLED]
    main = drawn.weights or main
    return (main.times(drawn.factor) if drawn.factor != 1 else main, bias) if main and bias else None


def _filled(layer: BuiltLayer) -> tuple[Weights | None, Weights | None]:
    """What fillers give the weights and the bias."""
    p, shapes = layer.parameters, layer.param_shapes
    if not shapes or not hasattr(p, "weight_filler") or not hasattr(p, "bias_filler"):
        return None, None
    return weights(p.weight_filler, shapes[0]), weights(p.bias_filler, shapes[1]) if len(shapes) > 1 else _NOTHING


_NOTHING = Weights(0.0, 0.0)
_FILLED = "_filled"


def sums(bottom: Signal, one: Weights, bias: Weights, channels: float, taps: float) -> Signal:
    """Sums over so many channels of a bottom, each with so many taps, with drawn weights."""
    k = bottom.kernels
    inputs = channels * taps
    mean = one.mean * inputs * bottom.mean + bias.mean
    own = [one.variance * inputs * square for square in k[:OTHER]]
    if not (one.mean or bias.mean):
        kernels = [bounded(square + bias.variance) for square in own]
        return Signal(0.0, (*kernels, *[0.0] * OTHER), bottom.assumed)
    shared = [0.0] * OTHER
    if one.mean:
        square = one.mean**2 * channels
        for near, far in ((SAME, PLACE), (SAMPLE, BOTH)):
            whole = taps * k[near] + taps * (taps - 1) * k[far]
            cross = taps * k[OTHER + near] + taps * (taps - 1) * k[OTHER + far]
            shared[near] = square * (whole + (channels - 1) * cross)
            shared[far] = square * taps * taps * (k[far] + (channels - 1) * k[OTHER + far])
    fixed = mean * mean - (mean - bias.mean) ** 2
    kernels = [bounded(a + b + fixed + bias.variance) for a, b in zip(own, shared, strict=True)]
    kernels += [bounded(b + fixed) for b in shared]
    return Signal(bounded(mean), tuple(kernels), bottom.assumed)


@forward.register(Convolution)
def _(layer: Convolution, bottoms: Known, drawn: Drawn) -> Tops:
    found = weights_of(layer, drawn)
    top = layer.tops[0].shape
    if found is None or top is None:
        return None
    channels = layer.param_shapes[0][1]  # type: ignore[index]
    return [sums(one, *found, channels, read(layer)) for one in bottoms]


@forward.register(Deconvolution)
def _(layer: Deconvolution, bottoms: Known, drawn: Drawn) -> Tops:
    found = weights_of(layer, drawn)
    top = layer.tops[0].shape
    if found is None or top is None:
        return None
    shape = shape_of(layer)
    taps = written(layer) * places(shape) / max(places(top), 1)
    channels = layer.param_shapes[0][0] / max(layer.groups(), 1)  # type: ignore[index]
    return [sums(one, *found, channels, taps) for one in bottoms]


@forward.register(InnerProduct)
def _(layer: InnerProduct, bottoms: Known, drawn: Drawn) -> Tops:
    found = weights_of(layer, drawn)
    if found is None:
        return None
    axis = layer.parameters.axis
    shape = shape_of(layer)
    if axis == 1:
        return [sums(bottoms[0], *found, shape[1] if len(shape) > 1 else 1, places(shape))]
    if axis == 2 and len(shape) == 3:
        return [steps(sums(rows(bottoms[0]), *found, shape[2], 1))]
    return [sums(bottoms[0], *found, prod(shape[axis:]), 1)]


@forward.register(Embed)
def _(layer: Embed, bottoms: Known, drawn: Drawn) -> Tops:
    found = weights_of(layer, drawn)
    if found is None:
        return None
    one, bias = found
    return [independent(one.mean + bias.mean, one.variance + bias.variance)]


@forward.register(Scale)
def _(layer: Scale, bottoms: Known, drawn: Drawn) -> Tops:
    if len(bottoms) == 2:
        return [product(*bottoms)]
    p = layer.parameters
    factor = weights(p.filler, layer.param_shapes[0]) if p.HasField("filler") and layer.param_shapes else Weights(1, 0)
    if factor is None:
        return None
    bottom = bottoms[0]
    square = factor.mean**2 + factor.variance
    kernels = [one * square for one in bottom.kernels[:OTHER]] + [
        one * factor.mean**2 for one in bottom.kernels[OTHER:]
    ]
    found = Signal(bottom.mean * factor.mean, tuple(map(bounded, kernels)), bottom.assumed)
    bias = weights(p.bias_filler, (1,)) if p.bias_term else None
    return [total([found, _of_channels(bias)]) if bias else found]


@forward.register(Bias)
def _(layer: Bias, bottoms: Known, drawn: Drawn) -> Tops:
    if len(bottoms) == 2:
        return [total(bottoms)]
    bias = weights(layer.parameters.filler, (1,))
    return [total([bottoms[0], _of_channels(bias)])] if bias else None


def _of_channels(one: Weights) -> Signal:
    """A parameter with an element for each channel."""
    square = one.mean**2
    return Signal(one.mean, (*[square + one.variance] * OTHER, *[square] * OTHER))


# Functions of each element


@forward.register(Neuron)
def _(layer: Neuron, bottoms: Known, drawn: Drawn) -> Tops:
    functions = functions_of(layer)
    return [applied(functions.value, bottoms[0])] if functions else None


@forward.register(Power)
def _(layer: Power, bottoms: Known, drawn: Drawn) -> Tops:
    p = layer.parameters
    if p.power == 1:
        return [bottoms[0].times(p.scale).plus(p.shift)]
    functions = functions_of(layer)
    return [applied(functions.value, bottoms[0])] if functions else None


@forward.register(Dropout)
def _(layer: Dropout, bottoms: Known, drawn: Drawn) -> Tops:
    return [dropped(layer, bottoms[0])]


def dropped(layer: BuiltLayer, one: Signal) -> Signal:
    """Elements left out at random, the others enlarged for it, where the net trains."""
    ratio = layer.parameters.dropout_ratio
    if layer.phase != "TRAIN" or not 0 < ratio < 1:
        return one
    return one._replace(kernels=(one.kernels[SAME] / (1 - ratio), *one.kernels[1:]))


# Pooling and normalisation


@lru_cache(maxsize=1024)
def most_of(size: float) -> tuple[float, float]:
    """Mean and variance of the largest of so many normal variables."""
    if size <= 1:
        return 0.0, 1.0
    at = (size - 0.375) / (size + 0.25)
    low, high = -1.0, 6.0
    for _ in range(40):
        middle = (low + high) / 2
        if 0.5 * (1 + math.erf(middle / math.sqrt(2))) < at:
            low = middle
        else:
            high = middle
    return low, 1 / (1 + 0.75 * math.log(size))


def pooled_from(layer: Pooling) -> float:
    """Pixels of a window."""
    shape = shape_of(layer)
    return float(places(shape)) if layer.kernel is None else float(prod(layer.kernel))


@forward.register(Pooling)
def _(layer: Pooling, bottoms: Known, drawn: Drawn) -> Tops:
    bottom = bottoms[0]
    size = max(min(pooled_from(layer), places(shape_of(layer))), 1.0)
    k = bottom.kernels
    if layer.parameters.pool == 1:
        kernels = []
        for first in (0, OTHER):
            for near, far in ((SAME, PLACE), (SAMPLE, BOTH)):
                kernels += [(k[first + near] + (size - 1) * k[first + far]) / size, k[first + far]]
        return [Signal(bottom.mean, tuple(kernels), bottom.assumed)]
    if layer.parameters.pool != 0:
        return [bottom]
    square = bottom.mean**2
    apart = max(k[SAME] - max(k[PLACE], square), 0.0)
    above, left = most_of(size)
    mean = bottom.mean + math.sqrt(apart) * above
    shrunk = (bottom.variance - apart * (1 - left)) / bottom.variance if bottom.variance else 1.0
    return [bottom.mapped(lambda one: (one - square) * shrunk + mean * mean, mean)]


@forward.register(LRN)
def _(layer: LRN, bottoms: Known, drawn: Drawn) -> Tops:
    return [bottoms[0].times(lrn_factor(layer, bottoms[0]))]


def lrn_factor(layer: BuiltLayer, bottom: Signal) -> float:
    p = layer.parameters
    base = p.k + p.alpha * bottom.mean_square
    return min(base**-p.beta, 1e9) if base > 0 else 1.0


def common(bottom: Signal, samples: float, positions: float) -> tuple[float, float]:
    """Mean products of the mean of a channel over a batch with itself, and with that of another channel."""
    found = []
    for first in (0, OTHER):
        k = bottom.kernels[first : first + OTHER]
        pairs = k[SAME] + (positions - 1) * k[PLACE] + (samples - 1) * (k[SAMPLE] + (positions - 1) * k[BOTH])
        found.append(pairs / (samples * positions))
    return found[0], found[1]


def centred(layer: BuiltLayer, bottom: Signal) -> tuple[tuple[float, ...], float]:
    """The kernels without the mean of each channel, and their variance."""
    shape = shape_of(layer)
    own, other = common(bottom, max(float(shape[0]), 1.0), max(float(places(shape)), 1.0))
    kernels = (*(one - own for one in bottom.kernels[:OTHER]), *(one - other for one in bottom.kernels[OTHER:]))
    return kernels, max(kernels[SAME], 0.0)


@forward.register(BatchNorm)
def _(layer: BatchNorm, bottoms: Known, drawn: Drawn) -> Tops:
    bottom = bottoms[0]
    eps = layer.parameters.eps
    if layer.uses_global_stats:
        return [bottom.times(1 / math.sqrt(eps))] if eps > 0 else None
    kernels, variance = centred(layer, bottom)
    by = variance + eps
    if not by > 0:
        return None
    return [Signal(0.0, tuple(bounded(one / by) for one in kernels), bottom.assumed)]


@forward.register(MVN)
def _(layer: MVN, bottoms: Known, drawn: Drawn) -> Tops:
    return mvn(layer, bottoms[0], bottoms[0])


def mvn(layer: MVN, one: Signal, bottom: Signal) -> Tops:
    """What an MVN makes of its bottom, or of the gradient of its top: it takes the means off both, and divides both by
    the spread of the bottom."""
    p = layer.parameters
    spread = math.sqrt(max(_without_means(layer, bottom)[SAME], 0.0))
    by = (spread + p.eps) ** 2 if p.normalize_variance else 1.0
    return [Signal(0.0, tuple(bounded(k / by) for k in _without_means(layer, one)), one.assumed)] if by > 0 else None


def _without_means(layer: MVN, one: Signal) -> list[float]:
    own, others = _mvn_means(layer, one)
    across = layer.parameters.across_channels
    away = (own, own, others, others) * 2 if across else (own, own, others, others, *one.kernels[OTHER:])
    return [kernel - mean for kernel, mean in zip(one.kernels, away, strict=True)]


def _mvn_means(layer: BuiltLayer, bottom: Signal) -> tuple[float, float]:
    """Mean products of what is taken away: of a sample with itself, and with another one."""
    shape = shape_of(layer)
    positions = float(places(shape))
    channels = float(shape[1]) if layer.parameters.across_channels and len(shape) > 1 else 1.0
    k = bottom.kernels
    found = []
    for near, far in ((SAME, PLACE), (SAMPLE, BOTH)):
        one = k[near] + (positions - 1) * k[far]
        other = k[OTHER + near] + (positions - 1) * k[OTHER + far]
        found.append((one + (channels - 1) * other) / (positions * channels))
    return found[0], found[1]


# Moved about and put together


@forward.register(Split)
@forward.register(Crop)
@forward.register(Permute)
@forward.register(ShuffleChannel)
@forward.register(Slice)
def _(layer: BuiltLayer, bottoms: Known, drawn: Drawn) -> Tops:
    return [bottoms[0]] * len(layer.tops)


@forward.register(Flatten)
@forward.register(Reshape)
def _(layer: BuiltLayer, bottoms: Known, drawn: Drawn) -> Tops:
    top = layer.tops[0].shape
    before, after = places(shape_of(layer)), places(top or ())
    if is_unrolled(layer):
        return [rows(bottoms[0])]
    if before == after:
        return [bottoms[0]]
    if after == 1:
        return [flattened(bottoms[0], before)]
    return [mapped_out(bottoms[0], before, after)] if is_mapped_out(layer) else None


def is_unrolled(layer: BuiltLayer) -> bool:
    """Are steps x streams x features made samples x features?"""
    shape, top = shape_of(layer), layer.tops[0].shape or ()
    return len(shape) == 3 and len(top) == 2 and shape[2] == top[1] and shape[1] > 1 and shape[2] > 1


def is_mapped_out(layer: BuiltLayer) -> bool:
    """Are the channels of each sample made places of fewer channels, as a decoder does behind its inner products?"""
    shape, top = shape_of(layer), layer.tops[0].shape or ()
    before, after = places(shape), places(top)
    return shape[:1] == top[:1] and 0 < before < after and not after % before


def mapped_out(bottom: Signal, before: float, after: float) -> Signal:
    """after / before channels become one: most of its pairs were pairs of channels, some of them of the same place."""
    k = bottom.kernels
    joined = after / before
    kernels: list[float] = []
    apart: list[float] = []
    for near, far in ((SAME, PLACE), (SAMPLE, BOTH)):
        others = (joined - 1) * (k[OTHER + near] + (before - 1) * k[OTHER + far])
        kernels += [k[near], ((before - 1) * k[far] + others) / (after - 1)]
        apart += [k[OTHER + near], ((joined - 1) * k[OTHER + near] + (after - joined) * k[OTHER + far]) / (after - 1)]
    return Signal(bottom.mean, (*kernels, *apart), bottom.assumed)


def flattened(bottom: Signal, positions: float) -> Signal:
    """Every element is a channel of its own."""
    k = bottom.kernels
    # Among as many channels as there are, most pairs are of two channels and two places.
    near = 1 / positions
    rest = [near * k[OTHER + n] + (1 - near) * k[OTHER + f] for n, f in ((SAME, PLACE), (SAMPLE, BOTH))]
    kernels = (k[SAME], k[SAME], k[SAMPLE], k[SAMPLE], rest[0], rest[0], rest[1], rest[1])
    return Signal(bottom.mean, kernels, bottom.assumed)


@forward.register(Concat)
def _(layer: Concat, bottoms: Known, drawn: Drawn) -> Tops:
    shapes = [shape_of(layer, number) for number in range(len(bottoms))]
    axis = layer.parameters.axis if layer.parameters.HasField("axis") else 1
    sizes = [float(shape[axis]) for shape in shapes]
    whole = sum(sizes)
    return [mixed(bottoms, [size / whole for size in sizes])] if whole else None


@forward.register(Eltwise)
def _(layer: Eltwise, bottoms: Known, drawn: Drawn) -> Tops:
    p = layer.parameters
    if p.operation == 0:
        return [product(*bottoms)]
    if p.operation == 1:
        return [total(bottoms, list(p.coeff) or ())]
    above, left = most_of(len(bottoms))
    first = max(bottoms, key=lambda one: one.mean_square)
    mean = first.mean + math.sqrt(first.variance) * above
    square = first.mean**2
    return [first.mapped(lambda one: (one - square) * left + mean * mean, mean)]


@forward.register(Softmax)
def _(layer: Softmax, bottoms: Known, drawn: Drawn) -> Tops:
    shape = shape_of(layer)
    axis = layer.parameters.axis
    if axis == 2 and len(shape) == 3:
        return [steps(softmax(rows(bottoms[0]), shape[2]))]
    return [softmax(bottoms[0], shape[axis])] if -len(shape) <= axis < len(shape) else None


FILLED = Drawn()
