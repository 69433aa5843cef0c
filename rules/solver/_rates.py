"""How many layers of a net learn, which fastest, and whether its rate is being searched for."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from math import isclose, isfinite
from typing import Any

from caffelint.lint import Layer, Net, Solver, compiled_later
from caffelint.lint.built import UNKNOWN
from caffelint.lint.disk import exists

UNUSUAL = 50.0
"""An lr_mult above those of new layers in fine-tuning, 10 and 20."""
_OF_THE_LAST = 10.0
"""lr_mult of the last layer of a net that is fine-tuned."""
_DEEP = 4
"""Layers with weights, of which one is few."""
_SWEEP = 3
"""So many solvers that differ in base_lr alone are a search for it."""
_SAYS_RATE = compiled_later(r"(?<![a-z])(?:base_?)?lr[-_=]?(\d+(?:\.\d+)?(?:e-?\d+)?)(?![0-9.]\d)", re.IGNORECASE)
_NEAR = 1e-3
"""A rate in a file is a float32, which 0.1 is not quite."""
_STEPS = (0.01, 0.1, 0.2, 0.5, 2, 5, 10, 100)
"""How rates that somebody tries one after the other are mostly to each other."""

_FEW_DROPS, _LEFT = 3, 0.05


def fastest_of(net: Net) -> Layer | None:
    """The layer with the largest lr_mult of weights; biases, the second parameter, tolerate twice the rate.

    That of the last layer before a loss is larger by custom, where the others come from another training.
    """
    layers = [layer for layer in net.layers if layer.message.param]
    if sum(layer.kind.has_weights is not False for layer in net.in_phase("TRAIN")) > 1:
        losses = [layer for layer in net.layers if layer.kind.looks_like_a_loss]
        scores = {bottom for layer in losses for bottom in layer.bottoms}
        layers = [one for one in layers if scores.isdisjoint(one.tops) or multiplier(one) > _OF_THE_LAST]
    return max(layers, key=multiplier, default=None)


def multiplier(layer: Layer) -> float:
    """The lr_mult of its weights."""
    return float(layer.message.param[0].lr_mult) or 1.0


def has_few_fast(net: Net) -> bool:
    """Whether a few new layers on trained ones are given a higher rate than these, as is usual."""
    rates = sorted(multiplier(layer) for layer in net.layers if layer.message.param)
    return len(rates) >= _DEEP and rates[len(rates) * 3 // 4] < rates[-1] < UNUSUAL


def depth(net: Net) -> int:
    """How many layers with weights a training goes through."""
    return sum(layer.kind.has_weights is not False for layer in net.layers if "TRAIN" in layer.phases)


def is_bounded(net: Net) -> bool:
    """Is there an activation for each layer with weights but the last, and has each an upper and a lower bound?"""
    bends = [layer.kind.values([UNKNOWN])[0] for layer in net.in_phase("TRAIN") if layer.kind.is_activation]
    return 0 < depth(net) - 1 <= len(bends) and all(isfinite(one.low) and isfinite(one.high) for one in bends)


def normalises(net: Net) -> bool:
    return any(layer.kind.normalises for layer in net.layers)


def may_normalise(net: Net) -> bool:
    """Whether a layer of unknown type, with one bottom and one top as a normalisation has, may keep values in range."""
    return any(layer.kind.normalises is None and len(layer.bottoms) == len(layer.tops) == 1 for layer in net.layers)


def is_recurrent(net: Net) -> bool:
    return any(layer.kind.is_recurrent for layer in net.layers)


def share_of(momentum: float, iterations: int) -> float:
    """How much of what updates add up to in the end they have come to when the training ends."""
    return 1 - momentum**iterations if iterations > 0 else 1.0


def is_mostly_frozen(net: Net) -> bool:
    """Whether only a few layers learn, on features that stay: these take higher rates."""
    weighted = net.layers_that(lambda kind: kind.has_weights)
    return len(weighted) >= _DEEP and _DEEP * sum(layer.kind.learns is not False for layer in weighted) <= len(weighted)


def _has_loss(net: Net) -> bool:
    """May something in the net be a loss? Without one, nothing is trained, at whatever rate."""
    return any(
        layer.kind.looks_like_a_loss or any(layer.loss_weights) or layer.type == "Python" or not layer.kind.known
        for layer in net.in_phase("TRAIN")
    )


def is_unaveraged(net: Net) -> bool:
    """Whether a loss is summed rather than averaged, or of a scale of its own, or weighs so little that its rate cannot
    be compared, as without any."""
    if not _has_loss(net):
        return True
    weighted = [layer for layer in net.in_phase("TRAIN") if any(layer.loss_weights)]
    if weighted and not any(layer.kind.looks_like_a_loss for layer in weighted):
        return True
    for layer in net.layers:
        if not layer.kind.looks_like_a_loss:
            continue
        if layer.type == "SigmoidCrossEntropyLoss" or layer.has("loss_param", "normalization"):
            return True
        if layer.has("loss_param", "normalize") and not layer.param("loss_param").normalize:
            return True
        if any(0 < weight < 0.1 for weight in layer.message.loss_weight):
            return True
    return False


def is_of_sweep(solver: Solver, net: Net | None) -> bool:
    """Whether solvers of the net differ in base_lr alone, or the file beside one that is called by another rate.

    Rates that are too high are part of a search for one.
    """
    if _is_called_by_rate(solver):
        return True
    return net is not None and len(net.once(_rates_alike)[_without_rate(solver)]) >= _SWEEP


def _rates_alike(net: Net) -> dict[bytes, set[float]]:
    """The rates of the net's solvers, by what these are but for their rates."""
    found: dict[bytes, set[float]] = defaultdict(set)
    for solver in net.solvers:
        found[_without_rate(solver)].add(solver.message.base_lr)
    return found


def _is_called_by_rate(solver: Solver) -> bool:
    """Does the name say the rate, `lr0.1` or `lr1` for 1e-1, and is there a solver of that name but for another one?"""
    folder, name = os.path.split(solver.path)
    said, rate = _SAYS_RATE.search(name), solver.message.base_lr
    if said is None:
        return False
    text = said[1].lower()
    if text.isdigit() and len(text) == 1:
        power = int(text)
        is_it, others = isclose(rate, 10.0**-power, rel_tol=_NEAR), {str(other) for other in range(10)}
    else:
        is_it = isclose(rate, float(text), rel_tol=_NEAR)
        others = {form(float(text) * step) for step in _STEPS for form in ("{:g}".format, "{:f}".format)}
        others = {other.rstrip("0") if "." in other else other for other in others}
    begin, end = said.span(1)
    others = {f"{name[:begin]}{other}{name[end:]}" for other in others} - {name}
    return is_it and any(exists(os.path.join(folder, other)) for other in others)


def _without_rate(solver: Solver) -> bytes:
    left = type(solver.message)()
    left.CopyFrom(solver.message)
    for field in ("base_lr", "snapshot_prefix"):
        left.ClearField(field)
    return left.SerializeToString(deterministic=True)


def usual_gamma(message: Any, steps: int) -> str:
    """For a schedule without one: a tenth at each of a few drops; of many, what leaves a twentieth at the end.

    steps: of a multistep schedule, those before max_iter.
    """
    if message.lr_policy == "exp":
        return "0.9999"
    is_step = message.lr_policy == "step" and message.stepsize > 0
    drops = (message.max_iter - 1) // message.stepsize if is_step else steps
    return f"{_LEFT ** (1 / drops):.1f}" if drops > _FEW_DROPS else "0.1"
