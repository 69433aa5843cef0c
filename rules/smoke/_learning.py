"""Which weights of a run could learn, and whether they did."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from caffelint.smoke.run import CHANGE, DATA, DIFF, PARAM, Run, Statistics

_STATISTICS_OF_THE_DATA = frozenset(["BatchNorm", "BN"])
_DECAY_ALONE = 1.01


class Weights(NamedTuple):
    """The weights of a layer that is to learn: what they were before the first update, its gradient, the last update.

    started: at which iteration the first update that was measured was made. None where nothing was measured.
    """

    layer: str
    data: Statistics | None
    gradient: Statistics | None
    first: Statistics | None
    last: Statistics | None


def weights(run: Run) -> Iterator[Weights]:
    """The first parameter of each layer of the TRAIN net that learns."""
    measured = run.measured
    if not measured:
        return
    for layer in run.built[0].layers:
        if layer.type in _STATISTICS_OF_THE_DATA or not layer.params or not layer.need_backward:
            continue
        param = layer.params[0]
        if param.owner is not None or not param.lr_mult:
            continue
        yield Weights(
            layer.name,
            run.statistics(-1, layer.name, PARAM, 0, DATA),
            run.statistics(-1, layer.name, PARAM, 0, DIFF),
            run.statistics(0, layer.name, PARAM, 0, CHANGE),
            run.statistics(measured[-1], layer.name, PARAM, 0, CHANGE) if measured[-1] > 0 else None,
        )


def size(values: Statistics) -> float:
    """Root mean square."""
    return math.hypot(values.mean, values.std)


def is_zero(values: Statistics | None) -> bool:
    return values is not None and values.zeros == 1


def only_decays(run: Run, values: Weights) -> bool:
    """Is the last update no more than what weight decay takes off, or nothing at all?"""
    if values.last is None or is_zero(values.last):
        return values.last is not None
    if values.data is None:
        return False
    message = run.solver.message
    rate = abs(run.iterations[-1].rate) if run.iterations else 0.0
    momentum = message.momentum if 0 <= message.momentum < 1 else 0.0
    decay = rate * message.weight_decay * size(values.data) / (1 - momentum)
    return size(values.last) <= _DECAY_ALONE * decay


def first_ratios(run: Run) -> dict[str, float]:
    """Root mean square of the first update over that of the weights before it, by layer; without weights of 0."""
    return {
        one.layer: size(one.first) / size(one.data)
        for one in weights(run)
        if one.data is not None and one.first is not None and size(one.data) > 0 and one.first.zeros < 1
    }
