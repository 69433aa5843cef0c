"""The layers that several losses train together, and how hard each of the losses pulls at them."""

from __future__ import annotations

import math
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.smoke.events import LossGradient
from caffelint.smoke.loss import constant_of, slowest
from caffelint.smoke.run import Run

GENTLE = 2 / 3
"""The power of what would make losses equal at the start: the less a loss weighs, the less it is learned itself."""
_LITTLE, _FAR_MORE = 0.7, 10.0
"""What is left of a loss that is hardly learned, and how many times its gradient one that outweighs it has."""


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


class Outweighed(NamedTuple):
    """A loss that falls by little, as `last` and the `near` of the best constant answer tell; the other loss whose
    gradient at what both train is `times` as large, and the weight that would bring both near each other; or `heavier`,
    that of the loss itself where all else stays as it is."""

    loss: BuiltLayer
    last: float
    near: float
    other: BuiltLayer
    times: float
    weight: float
    heavier: float


def outweighed(run: Run) -> Outweighed | None:
    """A loss of labels that is hardly learned beside another one, although the sum of them falls."""
    found, slow = trunk(run), slowest(run)
    if found is None or slow is None or not slow[0].reads_classes(1):
        return None
    loss, first, last = slow
    near = constant_of(run, loss)
    own = next((pull for pull, layer in found.pulls if layer is loss), 0.0)
    most, other = found.pulls[0]
    if not (near > 0 and last > _LITTLE * min(first, near) and most > _FAR_MORE * own > 0):
        return None
    weight = other.loss_weights[0] * math.sqrt(own / most)
    heavier = loss.loss_weights[0] * (most / own) ** GENTLE
    return Outweighed(loss, last, near, other, most / own, float(f"{weight:.1g}"), float(f"{heavier:.1g}"))
