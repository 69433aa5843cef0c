"""A net before its first update: signals, losses and gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.neuron import Dropout, Neuron, ReLU
from caffelint.caffe.layers.recurrent import Recurrent
from caffelint.caffe.net_parts import Blob, Param
from caffelint.caffe.shapes import count
from caffelint.caffe.values import Values
from caffelint.numerics import finite_check as finite_check
from caffelint.numerics import forks as forks
from caffelint.numerics import recurrent as recurrent  # the transfers of these
from caffelint.numerics.backward import Found, backward, learned
from caffelint.numerics.forward import FILLED, Drawn, Tops, forward, weights_of
from caffelint.numerics.losses import Lost, loss
from caffelint.numerics.signal import OTHER, Signal, constant, steps
from caffelint.numerics.weights import Weights
from caffelint.text.records import NamedTuple

_MOST_RECURRENT = 50
"""Layers whose steps are followed one by one, which takes long: no net has so many."""
_NONE = constant(0.0)


class Start(NamedTuple):
    """signals, gradients: by version of a blob, None for one that nobody knows. losses: by layer.

    learned: the root mean square of the gradient of each parameter that is known. drawn: what the weights of a layer
    are, where not what its filler draws.
    """

    signals: dict[Blob, Signal | None]
    gradients: dict[Blob, Signal | None]
    losses: dict[BuiltLayer, Lost]
    learned: dict[Param, float]
    drawn: dict[BuiltLayer, Drawn]


class Change(NamedTuple):
    """What is to be other than in the text: weights and loss weights of layers, and signals of data blobs by name."""

    weights: Mapping[BuiltLayer, Weights] = MappingProxyType({})
    loss_weights: Mapping[BuiltLayer, float] = MappingProxyType({})
    signals: Mapping[str, Signal] = MappingProxyType({})


NO_CHANGE = Change()
_STARTS, _UNSHAPED = "_starts", "_unshaped"


def start(built: BuiltNet, change: Change = NO_CHANGE, grow: bool = False) -> Start:
    """What the net begins with. grow: as `run` has it. For the same object of a change it is found out once: it is the
    same for all solvers of the net."""
    known: dict[tuple[int, bool], tuple[Change, Start]] = built.__dict__.setdefault(_STARTS, {})
    key = id(change), grow
    if key not in known:
        known[key] = change, _start(built, change, grow)
    return known[key][1]


def _start(built: BuiltNet, change: Change, grow: bool) -> Start:
    signals, drawn = run(built, change.signals, change.weights, grow)
    losses: dict[BuiltLayer, Lost] = {}
    seeds: dict[BuiltLayer, Sequence[Signal | None]] = {}
    for layer in reversed(built.layers):
        if any(layer.loss_weights) and all(blob.shape for blob in layer.bottoms):
            lost = loss(layer, [signals.get(blob) for blob in layer.bottoms])
            if lost is not None:
                losses[layer] = lost
                weight = change.loss_weights.get(layer, layer.loss_weights[0])
                seeds[layer] = [one.times(weight) if one else None for one in lost.gradients]
    gradients, found = _back(built, signals, drawn, seeds)
    return Start(signals, gradients, losses, found, drawn)


def run(
    built: BuiltNet,
    given: Mapping[str, Signal],
    weights: Mapping[BuiltLayer, Weights],
    grow: bool = False,
) -> tuple[dict[Blob, Signal | None], dict[BuiltLayer, Drawn]]:
    """The signals of all versions of blobs, and what the weights of each layer are, where not their filler's.

    given: signals of data blobs by name, instead of what would be assumed of them. weights: of layers, instead of their
    fillers. grow: are weights enlarged until their output is of size 1, as training does before anything else?
    """
    signals: dict[Blob, Signal | None] = {}
    changed = {layer: Drawn(weights=one) for layer, one in weights.items()}
    values = _bounds(built)
    unshaped = _unshaped(built)
    too_many = sum(layer.is_recurrent or False for layer in built.layers) > _MOST_RECURRENT
    for layer in built.layers:
        known = [one for blob in layer.bottoms if (one := signals.get(blob)) is not None]
        tops: Tops = None
        whole = len(known) == len(layer.bottoms) and not (too_many and layer.is_recurrent)
        if whole and (not unshaped or unshaped.isdisjoint((*layer.bottoms, *layer.tops[:1]))):
            drawn = changed.get(layer, FILLED)
            transfer = _transfers(layer)[0]
            tops = transfer(layer, known, drawn)
            if grow and tops and tops[0] and layer.has_weights and 0 < tops[0].mean_square < 1:
                changed[layer] = _grown(layer, drawn, tops[0])
                tops = transfer(layer, known, changed[layer])
        for number, blob in enumerate(layer.tops):
            found = tops[number] if tops and number < len(tops) else None
            if given and not layer.bottoms:
                found = given.get(blob.name, found)
            if found is not None and values:
                bounds = values[blob]
                found = found._replace(low=bounds.low, high=bounds.high)
            signals[blob] = found
    return signals, changed


_Transfers = tuple[Callable[..., Tops], Callable[..., Found], Callable[..., Sequence[float | None]]]
_TRANSFERS: dict[type, _Transfers] = {}


def _transfers(layer: BuiltLayer) -> _Transfers:
    """Forward, backward and what is learned, by its class. `singledispatch` takes longer to find some than they run."""
    kind = type(layer)
    if kind not in _TRANSFERS:
        _TRANSFERS[kind] = forward.dispatch(kind), backward.dispatch(kind), learned.dispatch(kind)
    return _TRANSFERS[kind]


def _bounds(built: BuiltNet) -> Mapping[Blob, Values]:
    """Of values; none for a net whose only functions rectify: what is below 0 counts nothing for them anyway."""
    functions = (layer for layer in built.layers if isinstance(layer, Neuron) and not isinstance(layer, Dropout))
    bent = any(not isinstance(layer, ReLU) or layer.parameters.negative_slope for layer in functions)
    return built.values if bent else {}


def _unshaped(built: BuiltNet) -> set[Blob]:
    """The blobs without a shape, or of a single number."""
    if _UNSHAPED not in built.__dict__:
        blobs = (blob for layer in built.layers for blob in (*layer.bottoms, *layer.tops))
        built.__dict__[_UNSHAPED] = {blob for blob in blobs if not blob.shape}
    found: set[Blob] = built.__dict__[_UNSHAPED]
    return found


def _grown(layer: BuiltLayer, drawn: Drawn, top: Signal) -> Drawn:
    """Weights that give an output of size 1; of recurrent layers, whose gates bound it, those of a usual size."""
    if not layer.is_recurrent:
        return drawn._replace(factor=1 / top.size)
    own = weights_of(layer, drawn)
    inputs = layer.param_shapes[0][-1] if layer.param_shapes else 0
    return drawn._replace(weights=Weights(0.0, 1 / inputs)) if own and own[0].size ** 2 * inputs < 1 else drawn


def steepness(built: BuiltNet, begin: Start, change: Change = NO_CHANGE) -> float:
    """The curvature of distances as all weights see it, times their lr_mult, where all samples miss by the same.

    It does not depend on the targets. Gradient descent leaves a distance that is steeper than 2 / rate. Weights whose
    size is of no effect do not count: updates that are too large make them larger, and what they see less steep. Nor do
    those of recurrent layers and above: such updates only drive their gates to their bounds.
    """
    seeds: dict[BuiltLayer, Sequence[Signal | None]] = {}
    for layer in begin.losses:
        shape = layer.bottoms[0].shape
        if layer.is_distance and shape and math.prod(shape):
            weight = abs(change.loss_weights.get(layer, layer.loss_weights[0]))
            # One step in this direction of length 1, of elements that are as large and of independent channels.
            each = weight / max(shape[0], 1) / math.prod(shape)
            alike = Signal(0.0, (each,) * OTHER + (0.0,) * OTHER)
            seeds[layer] = [steps(alike) if len(shape) == 3 else alike, None]
    _, found = _back(built, begin.signals, begin.drawn, seeds) if seeds else (None, {})
    free = unbounded(begin)
    learned = ((param, one) for param, one in found.items() if param.layer in free and not is_rescaled(param.layer))
    return sum(param.lr_mult * one * one * count(param.shape) for param, one in learned)


def unbounded(begin: Start) -> set[BuiltLayer]:
    """The layers between distances and the nearest recurrent ones, whose values have bounds."""
    pending = [layer.bottoms[0] for layer in begin.losses if layer.is_distance]
    found: set[BuiltLayer] = set()
    while pending:
        layer = pending.pop().producer
        if layer is not None and layer not in found and not isinstance(layer, Recurrent):
            found.add(layer)
            pending += layer.bottoms
    return found


def is_rescaled(layer: BuiltLayer) -> bool:
    """Does a layer that normalises read its output? Then the size of its weights is of no effect, and large updates
    make them larger and the next ones smaller."""
    readers = [reader for top in layer.tops for reader, _ in top.consumers]
    return bool(readers) and all(
        reader.normalises and not getattr(reader, "uses_global_stats", False) for reader in readers
    )


def _back(
    built: BuiltNet,
    signals: Mapping[Blob, Signal | None],
    drawn: Mapping[BuiltLayer, Drawn],
    seeds: Mapping[BuiltLayer, Sequence[Signal | None]],
) -> tuple[dict[Blob, Signal | None], dict[Param, float]]:
    """Gradients of blobs, and the root mean squares of those of parameters. seeds: those of the bottoms of losses."""
    gradients: dict[Blob, Signal | None] = {}
    found: dict[Param, float] = {}
    unshaped = _unshaped(built)
    for layer in reversed(built.layers):
        results: Sequence[Signal | None] | None = seeds.get(layer)
        is_loss = any(layer.loss_weights)
        if not is_loss and layer.need_backward:
            known = [one for blob in layer.bottoms if (one := signals.get(blob)) is not None]
            given = [one for blob in layer.tops if (one := gradients.get(blob, _NONE)) is not None]
            whole = len(known) == len(layer.bottoms) and len(given) == len(layer.tops)
            if whole and (not unshaped or unshaped.isdisjoint((*layer.bottoms, *layer.tops))):
                _, back, learns = _transfers(layer)
                results = back(layer, known, given, drawn.get(layer, FILLED))
                for param, square in zip(layer.params or (), learns(layer, known, given), strict=False):
                    if square is not None:
                        owner = param.owner or param
                        found[owner] = found.get(owner, 0.0) + square
        goes = layer.propagate_down if is_loss or layer.need_backward else ()
        for number, blob in enumerate(layer.bottoms):
            one = results[number] if results and number < len(results) else None
            gradients[blob] = one if number < len(goes) and goes[number] else _NONE
    return gradients, {param: math.sqrt(max(square, 0.0)) for param, square in found.items()}
