"""A net before its first update as a table: a row for each blob that a layer makes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.arrange import Split
from caffelint.caffe.shapes import Shape
from caffelint.numerics.laws import heat_by_law
from caffelint.numerics.signal import SAMPLE, Signal
from caffelint.numerics.start import Change, Start, start, unbounded
from caffelint.numerics.swings import FORGETS, heat_of_swing
from caffelint.numerics.targets import at_targets, largest_rate
from caffelint.numerics.updates import SCALED, Update, edge, heat, updates
from caffelint.text.records import NamedTuple

HUGE, TINY, ALIKE, FAST, NO_GRADIENT = "huge", "tiny", "alike", "fast", "no gradient"
"""What is odd about a row: values above 10,000, or below 1/10,000, on average; less than 1/1000 of them depends on the
sample; updates as large as the weights; gradients that are 0 in single precision."""
_HUGE, _TINY, _ALIKE, _FAST, _LOST = 1e4, 1e-4, 1e-3, 1.0, 1e-38


class Row(NamedTuple):
    """A blob. mean, size (root mean square) and gradient (that of the sum of losses) are None where nobody knows.

    weights, update: of the layer's first parameter, the size and what one step comes to against it, momentum included.
    """

    layer: BuiltLayer
    blob: str
    shape: Shape | None
    mean: float | None
    size: float | None
    gradient: float | None
    weights: float | None
    update: float | None
    odd: tuple[str, ...]


class FirstLoss(NamedTuple):
    """What a loss begins with, before its weight. guess: that of the best constant; None where nobody knows it."""

    layer: BuiltLayer
    value: float
    guess: float | None


class Scales(NamedTuple):
    """rate: what the updates are for; None without a solver. worst: the largest update; None where none is known.

    assumed: does it rest on a guess of the scale of the data? unknown: the layers without a transfer, first to last.
    """

    rows: list[Row]
    losses: list[FirstLoss]
    rate: float | None
    worst: Update | None
    assumed: bool
    unknown: list[BuiltLayer]


def scales(built: BuiltNet, solver: Any = None, rate: float | None = None, change: Change | None = None) -> Scales:
    """The table of a net. solver: the SolverParameter. rate: the rate of the updates, as the schedule gives it."""
    change = change or Change()
    begin = start(built, change)
    steps: dict[BuiltLayer, Update] = {}
    worst = None
    if solver is not None and rate is not None:
        steps = {one.param.layer: one for one in updates(begin, solver, rate)}
        worst = largest(built, solver, rate, change)
    rows = [row for layer in built.layers if not isinstance(layer, Split) for row in _rows(layer, begin, steps)]
    losses = [FirstLoss(layer, lost.value, lost.guess) for layer, lost in reversed(begin.losses.items())]
    assumed = any(one.assumed for one in begin.signals.values() if one)
    return Scales(rows, losses, rate, worst, assumed, list(_unknown(built, begin)))


def largest(built: BuiltNet, solver: Any, rate: float, change: Change) -> Update | None:
    """The worst update after weights that are small have grown; None where none is known."""
    grown = updates(start(built, change, grow=True), solver, rate)
    return max(grown, key=lambda one: one.ratio, default=None)


def _rows(layer: BuiltLayer, begin: Start, steps: dict[BuiltLayer, Update]) -> Iterator[Row]:
    for number, blob in enumerate(layer.tops):
        if any(layer.loss_weights):
            continue
        one, gradient = begin.signals.get(blob), begin.gradients.get(blob)
        step = steps.get(layer) if not number else None
        size = one.size if one else None
        back = gradient.size if gradient and layer.need_backward else None
        odd = tuple(_odd(layer, one, back, step))
        yield Row(
            layer,
            blob.name,
            blob.shape,
            one.mean if one else None,
            size,
            back,
            step.weights if step else None,
            step.ratio if step else None,
            odd,
        )


def _odd(layer: BuiltLayer, one: Signal | None, gradient: float | None, step: Update | None) -> Iterator[str]:
    if one is not None and one.size:
        if one.size > _HUGE:
            yield HUGE
        if one.size < _TINY:
            yield TINY
        if layer.bottoms and (one.mean_square - one.kernels[SAMPLE]) / one.mean_square < _ALIKE:
            yield ALIKE
    if gradient is not None and gradient < _LOST:
        yield NO_GRADIENT
    if step is not None and step.ratio >= _FAST:
        yield FAST


def _unknown(built: BuiltNet, begin: Start) -> Iterator[BuiltLayer]:
    """Where what is known ends."""
    for layer in built.layers:
        if not all(begin.signals.get(blob) is not None for blob in layer.bottoms):
            continue
        is_loss = any(layer.loss_weights)
        top = layer.tops[0] if layer.tops else None
        if layer not in begin.losses if is_loss else top and (top.shape is None or begin.signals.get(top) is None):
            yield layer


class Rates(NamedTuple):
    """largest: beyond which nets no longer learn; low, high: where it lies in 8 of 10 nets.

    suggested: a rate to begin with.
    """

    type: str
    largest: float
    low: float
    high: float
    suggested: float


_LOW, _HIGH, _BELOW = 0.35, 3.0, 0.15
"""Of projects whose largest rate that learns was measured on Caffe, 8 of 10 had it between these times the predicted
one. The suggested rate lies that far below it."""
TYPES = ("SGD", "Nesterov", "AdaGrad", "RMSProp", "AdaDelta", "Adam")


def rates(built: BuiltNet, solver: Any, change: Change | None = None) -> list[Rates]:
    """The largest rates for each type of solver, its own first; empty where nothing is known of the updates."""
    change = change or Change()
    first, begin = start(built, change), start(built, change, grow=True)
    reached = _reached(built, change)
    free = unbounded(reached) if reached is not None else set()
    found = []
    for kind in sorted(TYPES, key=lambda kind: kind != (solver.type or "SGD")):
        one = type(solver)()
        one.CopyFrom(solver)
        one.type = kind
        if kind in ("AdaGrad", "RMSProp"):
            one.ClearField("momentum")  # Caffe refuses one
        if kind == "AdaDelta" and not solver.HasField("momentum"):
            one.momentum = 0.95
        grown = updates(begin, one, 1.0)
        if kind in SCALED and reached is not None:
            grown = [step for step in updates(reached, one, 1.0) if step.param.layer in free]
        at_one = heat_by_law(first, one, 1.0) or heat(grown)
        if kind in FORGETS and reached is not None:
            at_one = max(at_one, heat_of_swing(first, one, 1.0))
        if 0 < at_one < math.inf:
            most = edge(one) / at_one
            bears = largest_rate(built, one, change)
            if bears < math.inf:  # of two estimates, each of which may be too high as well as too low
                most = math.sqrt(most * bears)
            found.append(Rates(kind, most, most * _LOW, most * _HIGH, _round(most * _BELOW)))
    return found


def _reached(built: BuiltNet, change: Change) -> Start | None:
    """The net with weights as large as distances need them; None without distances. Steps that do not grow with the
    gradients are small against these, and what follows layers whose values have bounds has to make up for them."""
    begin, larger = at_targets(built, change)
    if not any(layer.is_distance for layer in begin.losses):
        return None
    return begin if larger is not change else start(built, change, grow=True)


def _round(value: float) -> float:
    """To one digit."""
    return float(f"{value:.1g}")
