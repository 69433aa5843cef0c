"""The layers that several losses train together, and how hard each of the losses pulls at them."""

from __future__ import annotations

import math
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.smoke.events import LossGradient
from caffelint.smoke.run import Run


class Trunk(NamedTuple):
    """layers: those that get a gradient from the most losses, two at least. pulls: the length of the gradient of each
    loss at these layers before any update, the strongest first.
    """

    layers: tuple[BuiltLayer, ...]
    pulls: tuple[tuple[float, BuiltLayer], ...]


def trunk(run: Run) -> Trunk | None:
    """None where the losses share no layer, or their gradients were not measured."""
    sizes = {event.loss: event.sizes for event in run.all(LossGradient)}
    losses = [(layer, sizes[layer.tops[0].name]) for layer in run.loss_layers if layer.tops[0].name in sizes]
    if len(losses) < 2:
        return None
    learning = [layer for layer in run.built[0].layers if layer.params and layer.params[0].lr_mult]
    reached = {layer.name: sum(own.get(layer.name, 0.0) > 0 for _, own in losses) for layer in learning}
    most = max(reached.values(), default=0)
    if most < 2:
        return None
    shared = tuple(layer for layer in learning if reached[layer.name] == most)
    pulls = [(math.hypot(*(own.get(one.name, 0.0) for one in shared)), layer) for layer, own in losses]
    pulls = [(pull, layer) for pull, layer in pulls if 0 < pull < math.inf]
    return Trunk(shared, tuple(sorted(pulls, key=lambda one: -one[0])))
