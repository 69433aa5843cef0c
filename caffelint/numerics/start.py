"""A net before its first update: signals, losses and gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob, Param
from caffelint.numerics.backward import backward, learned
from caffelint.numerics.forward import FILLED, Drawn, run
from caffelint.numerics.losses import Lost, loss
from caffelint.numerics.signal import Signal, constant
from caffelint.numerics.weights import Weights

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


def start(built: BuiltNet, change: Change = NO_CHANGE, grow: bool = False) -> Start:
    """What the net begins with. grow: as `run` has it."""
    signals, drawn = run(built, change.signals, change.weights, grow)
    gradients: dict[Blob, Signal | None] = {}
    losses: dict[BuiltLayer, Lost] = {}
    found: dict[Param, float] = {}
    for layer in reversed(built.layers):
        if any(layer.loss_weights):
            lost = (
                loss(layer, [signals.get(blob) for blob in layer.bottoms])
                if all(b.shape for b in layer.bottoms)
                else None
            )
            if lost is not None:
                losses[layer] = lost
            weight = change.loss_weights.get(layer, layer.loss_weights[0])
            for number, blob in enumerate(layer.bottoms):
                goes = number < len(layer.propagate_down) and layer.propagate_down[number]
                one = lost.gradients[number] if lost and number < len(lost.gradients) else None
                gradients[blob] = (one.times(weight) if one else None) if goes else _NONE
            continue
        bottoms = [signals.get(blob) for blob in layer.bottoms]
        tops = [gradients.get(blob, _NONE) for blob in layer.tops]
        known = [one for one in bottoms if one is not None]
        given_tops = [one for one in tops if one is not None]
        results = None
        whole = len(known) == len(bottoms) and len(given_tops) == len(tops)
        if layer.need_backward and whole and all(b.shape for b in (*layer.bottoms, *layer.tops)):
            results = backward(layer, known, given_tops, drawn.get(layer, FILLED))
            for param, square in zip(layer.params or (), learned(layer, known, given_tops), strict=False):
                if square is not None:
                    owner = param.owner or param
                    found[owner] = found.get(owner, 0.0) + square
        for number, blob in enumerate(layer.bottoms):
            goes = layer.need_backward and number < len(layer.propagate_down) and layer.propagate_down[number]
            one = results[number] if results and number < len(results) else None
            gradients[blob] = one if goes else _NONE
    return Start(signals, gradients, losses, {p: math.sqrt(max(v, 0.0)) for p, v in found.items()}, drawn)
