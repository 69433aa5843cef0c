"""From the gradients of a layer's tops to those of its bottoms and of its parameters, by its class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from itertools import accumulate
from math import prod

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.arrange import Crop, Flatten, Reshape, Split
from caffelint.caffe.layers.concat import Concat, Slice
from caffelint.caffe.layers.convolution import Convolution, Deconvolution
from caffelint.caffe.layers.linear import Embed, InnerProduct
from caffelint.caffe.layers.neuron import Dropout, Neuron, Power
from caffelint.caffe.layers.normalization import LRN, MVN, BatchNorm
from caffelint.caffe.layers.pooling import Pooling
from caffelint.caffe.layers.reduce import Eltwise
from caffelint.caffe.layers.resample import Permute, ShuffleChannel
from caffelint.caffe.layers.scale import Bias, Scale
from caffelint.numerics.elements import functions_of
from caffelint.numerics.forward import (
    Drawn,
    centred,
    flattened,
    is_mapped_out,
    is_unrolled,
    lrn_factor,
    mvn,
    places,
    pooled_from,
    shape_of,
    sums,
    weights_of,
)
from caffelint.numerics.hermite import applied
from caffelint.numerics.signal import (
    BOTH,
    KERNELS,
    OTHER,
    PLACE,
    SAME,
    SAMPLE,
    Signal,
    bounded,
    product,
    rows,
    steps,
    total,
)
from caffelint.numerics.taps import read, written
from caffelint.numerics.weights import Weights, weights

Bottoms = Sequence[Signal]
Grads = Sequence[Signal]
Found = Sequence[Signal | None] | None
_NO_BIAS = Weights(0.0, 0.0)


@singledispatch
def backward(layer: BuiltLayer, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    """Gradients of the bottoms; None for one that nobody knows."""
    return None


@backward.register(Convolution)
def _(layer: Convolution, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    found = weights_of(layer, drawn)
    top = layer.tops[0].shape
    if found is None or top is None:
        return None
    taps = read(layer) * places(top) / max(places(shape_of(layer)), 1)
    channels = layer.param_shapes[0][0] / max(layer.groups(), 1)  # type: ignore[index]
    return [sums(one, found[0], _NO_BIAS, channels, taps) for one in tops]


@backward.register(Deconvolution)
def _(layer: Deconvolution, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    found = weights_of(layer, drawn)
    if found is None:
        return None
    return [sums(one, found[0], _NO_BIAS, layer.param_shapes[0][1], written(layer)) for one in tops]  # type: ignore[index]


@backward.register(InnerProduct)
def _(layer: InnerProduct, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    found = weights_of(layer, drawn)
    if found is None:
        return None
    if layer.parameters.axis == 2 and len(shape_of(layer)) == 3:
        return [steps(sums(rows(tops[0]), found[0], _NO_BIAS, layer.parameters.num_output, 1))]
    one = sums(tops[0], found[0], _NO_BIAS, layer.parameters.num_output, 1)
    if layer.parameters.axis == 1 and places(shape_of(layer)) > 1:
        k = one.kernels
        # Each place has weights of its own.
        own = found[0].mean ** 2 / max(found[0].size ** 2, 1e-300)
        one = one._replace(kernels=tuple(k[pair & ~PLACE] * (own if pair & PLACE else 1.0) for pair in range(KERNELS)))
    return [one]


@backward.register(Scale)
def _(layer: Scale, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    if len(bottoms) == 2:
        first, second = layer.bottoms[0].shape, layer.bottoms[1].shape
        wide = tops[0]
        other = product(tops[0], bottoms[0])
        if first and second and prod(second):
            other = summed(other, 1.0, prod(first) / prod(second))
        return [product(wide, bottoms[1]), other]
    p = layer.parameters
    factor = weights(p.filler, layer.param_shapes[0]) if p.HasField("filler") and layer.param_shapes else Weights(1, 0)
    return [tops[0].times(factor.size)] if factor else None


@backward.register(Bias)
def _(layer: Bias, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    return [tops[0], *[None] * (len(bottoms) - 1)]


@backward.register(Neuron)
def _(layer: Neuron, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    functions = functions_of(layer)
    if functions is None or functions.slope is None:
        return None
    return [product(tops[0], applied(functions.slope, bottoms[0]))]


@backward.register(Power)
def _(layer: Power, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    p = layer.parameters
    if p.power == 1:
        return [tops[0].times(p.scale)]
    functions = functions_of(layer)
    return [product(tops[0], applied(functions.slope, bottoms[0]))] if functions and functions.slope else None


@backward.register(Dropout)
def _(layer: Dropout, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    ratio = layer.parameters.dropout_ratio
    one = tops[0]
    if layer.phase != "TRAIN" or not 0 < ratio < 1:
        return [one]
    return [one._replace(kernels=(one.kernels[SAME] / (1 - ratio), *one.kernels[1:]))]


@backward.register(Pooling)
def _(layer: Pooling, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    one = tops[0]
    top = layer.tops[0].shape
    if top is None:
        return None
    before, after = max(places(shape_of(layer)), 1), max(places(top), 1)
    size = max(min(pooled_from(layer), before), 1.0)
    k = one.kernels
    share = after / before
    if layer.parameters.pool == 1:
        # Each pixel gets a part of every window that it is in; two pixels get the same one where they share a window.
        windows = size * share
        near = min((size - 1) / (before - 1), 1.0) if before > 1 else 0.0
        kernels = []
        for first in (0, OTHER):
            for same, far in ((SAME, PLACE), (SAMPLE, BOTH)):
                alone = min(windows, 1.0) * k[first + same] + max(windows - 1, 0.0) * k[first + far]
                own = alone * max(windows, 1.0) / size**2
                apart = windows**2 * k[first + far] / size**2
                kernels += [own, near * own * min(windows, 1.0) + (1 - near) * apart]
        return [Signal(one.mean * share, tuple(map(bounded, kernels)), one.assumed)]
    # One pixel of each window gets its gradient.
    kernels = [k[SAME] * share + max(size * share - 1, 0) * share / size * k[PLACE]]
    kernels += [one.kernels[pair] * share * share for pair in range(1, KERNELS)]
    return [Signal(one.mean * share, tuple(map(bounded, kernels)), one.assumed)]


@backward.register(LRN)
def _(layer: LRN, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    return [tops[0].times(lrn_factor(layer, bottoms[0]))]


@backward.register(BatchNorm)
def _(layer: BatchNorm, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    eps = layer.parameters.eps
    if layer.uses_global_stats:
        return [tops[0].times(1 / math.sqrt(eps))] if eps > 0 else None
    _, variance = centred(layer, bottoms[0])
    kernels, _ = centred(layer, tops[0])
    by = variance + eps
    return [Signal(0.0, tuple(bounded(one / by) for one in kernels), tops[0].assumed)] if by > 0 else None


@backward.register(MVN)
def _(layer: MVN, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    """mvn_layer.cpp Backward_cpu: nothing is left of the gradients of maps of one value."""
    return mvn(layer, tops[0], bottoms[0])


@backward.register(Split)
def _(layer: Split, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    return [total(tops)]


@backward.register(Permute)
@backward.register(ShuffleChannel)
def _(layer: BuiltLayer, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    return [tops[0]]


@backward.register(Flatten)
@backward.register(Reshape)
def _(layer: BuiltLayer, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    one = tops[0]
    top = layer.tops[0].shape
    if is_unrolled(layer):
        return [steps(one)]
    before, after = places(shape_of(layer)), places(top or ())
    if before == after:
        return [one]
    if after > 1:
        return [flattened(one, after)] if before == 1 and is_mapped_out(layer) else None
    k = one.kernels
    # Places were channels: pairs of places are pairs of channels.
    kernels = (k[SAME], k[OTHER], k[SAMPLE], k[OTHER + SAMPLE], *[k[OTHER]] * 2, *[k[OTHER + SAMPLE]] * 2)
    return [one._replace(kernels=kernels)]


@backward.register(Crop)
def _(layer: Crop, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    share = _share(layer)
    return [_padded(tops[0], share), *[None] * (len(bottoms) - 1)] if share else None


def _share(layer: BuiltLayer) -> float:
    top = layer.tops[0].shape
    size = prod(shape_of(layer))
    return prod(top) / size if top and size else 0.0


def _padded(one: Signal, share: float) -> Signal:
    return Signal(
        one.mean * share,
        tuple(x * share if k in (SAME, SAMPLE) else x * share * share for k, x in enumerate(one.kernels)),
        one.assumed,
    )


@backward.register(Slice)
def _(layer: Slice, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    sizes = [float(prod(top.shape or ())) for top in layer.tops]
    whole = sum(sizes)
    if not whole:
        return None
    kernels = tuple(
        sum(one.kernels[k] * size / whole for one, size in zip(tops, sizes, strict=True)) for k in range(KERNELS)
    )
    return [
        Signal(
            sum(one.mean * size / whole for one, size in zip(tops, sizes, strict=True)),
            kernels,
            any(one.assumed for one in tops),
        )
    ]


@backward.register(Concat)
def _(layer: Concat, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    return [tops[0]] * len(bottoms)


@backward.register(Eltwise)
def _(layer: Eltwise, bottoms: Bottoms, tops: Grads, drawn: Drawn) -> Found:
    p = layer.parameters
    count = len(bottoms)
    if p.operation == 1:
        return [tops[0].times(factor) for factor in (list(p.coeff) or [1.0] * count)]
    if p.operation == 0:
        before = [*accumulate(bottoms, product, initial=tops[0])]
        behind = [*accumulate(reversed(bottoms), product)][::-1][1:]
        return [*(product(*pair) for pair in zip(before, behind, strict=False)), before[-2]]
    return [
        tops[0]._replace(kernels=tuple(x / count if k == SAME else x / count**2 for k, x in enumerate(tops[0].kernels)))
    ] * count


def summed(one: Signal, samples: float, positions: float) -> Signal:
    """Its sums over samples and places of each channel."""
    own, other = (_summed(one.kernels[first : first + OTHER], samples, positions) for first in (0, OTHER))
    return Signal(one.mean * samples * positions, (*[own] * OTHER, *[other] * OTHER), one.assumed)


def _summed(k: Sequence[float], samples: float, positions: float) -> float:
    """The mean square of such sums, from the mean products of one channel."""
    found = k[SAME] + (positions - 1) * k[PLACE] + (samples - 1) * (k[SAMPLE] + (positions - 1) * k[BOTH])
    return bounded(max(found, 0.0) * samples * positions)


@singledispatch
def learned(layer: BuiltLayer, bottoms: Bottoms, tops: Grads) -> Sequence[float | None]:
    """Mean squares of the gradients of the parameters; none where nobody knows them.

    That of a Scale after a normalisation hangs on what its values and the units that they open have in common, which is
    not followed here: in a residual net on Caffe 1.0 its mean square was 200 times that of independent blobs.
    """
    return []


def of_weights(bottom: Signal, top: Signal, samples: float, positions: float, seen: float = 1.0) -> float:
    """seen: the share of its positions at which a weight meets a pixel."""
    pairs = zip(bottom.kernels[:OTHER], top.kernels[:OTHER], strict=True)
    return _summed([bounded(a * b) for a, b in pairs], samples, positions * seen)


def of_bias(top: Signal, samples: float, positions: float) -> float:
    return _summed(top.kernels, samples, positions)


@learned.register(Convolution)
def _(layer: Convolution, bottoms: Bottoms, tops: Grads) -> Sequence[float | None]:
    shape, top = shape_of(layer), layer.tops[0].shape
    if top is None:
        return []
    seen = read(layer) / max(prod(layer.kernel), 1)
    samples = float(prod(shape[: layer.channel_axis]))
    found = [of_weights(a, b, samples, places(top), seen) for a, b in zip(bottoms, tops, strict=True)]
    return [sum(found), sum(of_bias(one, samples, places(top)) for one in tops)]


@learned.register(Deconvolution)
def _(layer: Deconvolution, bottoms: Bottoms, tops: Grads) -> Sequence[float | None]:
    shape, top = shape_of(layer), layer.tops[0].shape
    if top is None:
        return []
    seen = written(layer) / max(prod(layer.kernel), 1)
    found = [of_weights(a, b, float(shape[0]), places(shape), seen) for a, b in zip(bottoms, tops, strict=True)]
    return [sum(found), sum(of_bias(one, float(shape[0]), places(top)) for one in tops)]


@learned.register(InnerProduct)
def _(layer: InnerProduct, bottoms: Bottoms, tops: Grads) -> Sequence[float | None]:
    axis = layer.parameters.axis
    samples = float(prod(shape_of(layer)[:axis]))
    if axis == 2 and len(shape_of(layer)) == 3:
        bottoms, tops = [rows(bottoms[0])], [rows(tops[0])]
    return [of_weights(bottoms[0], tops[0], samples, 1.0), of_bias(tops[0], samples, 1.0)]


@learned.register(Embed)
def _(layer: Embed, bottoms: Bottoms, tops: Grads) -> Sequence[float | None]:
    """A row gets the sum of the gradients of all that it stands for, which are other steps of other streams mostly."""
    top = layer.tops[0].shape
    if top is None:
        return []
    k = tops[0].kernels
    pairs = k[OTHER + SAMPLE] if len(top) > 2 else k[SAMPLE]
    each = prod(shape_of(layer)) / max(layer.parameters.input_dim, 1)
    weights_ = bounded(max(each * k[SAME] + each * each * pairs, 0.0))
    return [weights_, *[None] * (len(layer.params or ()) - 1)]


@learned.register(Bias)
def _(layer: Bias, bottoms: Bottoms, tops: Grads) -> Sequence[float | None]:
    shape = shape_of(layer)
    return [of_bias(tops[0], float(shape[0]), float(places(shape)))] if len(bottoms) == 1 else []
