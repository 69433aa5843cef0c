"""How far the first updates move each weight, against the weight itself."""

from __future__ import annotations

import math
from typing import Any

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Param
from caffelint.caffe.shapes import count
from caffelint.numerics.forward import FILLED, Drawn, weights_of
from caffelint.numerics.start import Start, is_rescaled
from caffelint.text.records import NamedTuple

SCALED = ("Adam", "AdaGrad", "RMSProp", "AdaDelta")
"""Solvers that scale each update to the gradients before it."""


class Update(NamedTuple):
    """gradient, weights: root mean squares; the weights after they have grown until their layer's output is of size 1.

    ratio: what the updates of one step come to in the end, momentum included, against the weights.
    """

    param: Param
    gradient: float
    weights: float
    ratio: float


class Pull(NamedTuple):
    """ratio: what weight_decay adds to the gradient of a parameter, against that gradient. shrinks: the share of the
    weights that it takes away with each step."""

    param: Param
    ratio: float
    shrinks: float


def updates(start: Start, solver: Any, rate: float, steady: bool = False) -> list[Update]:
    """Of all weights that are known, at a rate. solver: the SolverParameter.

    steady: the most that they may come to, if all pull in one direction; also of weights whose size is of no effect.
    """
    found = []
    factor = clipping(start, solver)
    for param, gradient in start.learned.items():
        mult = param.lr_mult
        if not mult or param.index or not param.layer.has_weights:
            continue
        if is_rescaled(param.layer) and not steady:
            continue
        size = size_of(param.layer, start.drawn.get(param.layer, FILLED))
        if not size:
            continue
        step = step_of(solver, gradient * factor, rate * mult, steady)
        found.append(Update(param, gradient, size, step / size))
    return found


def largest_of_biases(start: Start, solver: Any, rate: float) -> float:
    """The largest update of a bias.

    Solvers that scale updates move biases however small the gradients are, and what these then add to the values of the
    layers after them makes the gradients of weights as large.
    """
    factor = clipping(start, solver)
    steps = (
        step_of(solver, gradient * factor, rate * param.lr_mult)
        for param, gradient in start.learned.items()
        if param.index and param.layer.has_weights and not is_rescaled(param.layer)
    )
    return max(steps, default=0.0)


def size_of(layer: BuiltLayer, drawn: Drawn) -> float:
    one = weights_of(layer, drawn) if hasattr(layer.parameters, "weight_filler") else None
    return one[0].size if one else 0.0


def clipping(start: Start, solver: Any) -> float:
    """The factor of clip_gradients (SGDSolver::ClipGradients)."""
    most: float = solver.clip_gradients
    if most < 0:
        return 1.0
    squares = sum(gradient**2 * count(param.shape) for param, gradient in start.learned.items())
    norm = math.sqrt(squares)
    return most / norm if norm > most else 1.0


def step_of(solver: Any, gradient: float, rate: float, steady: bool = False) -> float:
    """The size of an update, of all that follow from one gradient, by the solver's type (*_solver.cpp)."""
    kind: str = solver.type or "SGD"
    delta: float = solver.delta
    if kind in ("SGD", "Nesterov"):
        return rate * gradient * (1 / max(1 - solver.momentum, _FINEST) if steady else piled_up(solver.momentum))
    if not gradient:
        return 0.0
    if kind == "AdaDelta":
        history = (1 - solver.momentum) * gradient**2 + delta
        return rate * gradient * math.sqrt(delta / history) if history else 0.0
    if kind in ("Adam", "AdaGrad", "RMSProp"):
        step = rate * gradient / (gradient + delta)
        return step / math.sqrt(_TURNED) if kind == "AdaGrad" else step
    return 0.0


def piled_up(momentum: float) -> float:
    """How many steps momentum adds up to. Beyond ten, gradients turn round before all of them have come together."""
    steps = 1 / max(1 - momentum, _FINEST)
    return steps if steps <= _TURNED else math.sqrt(steps * _TURNED)


_FINEST = 1e-6
_TURNED = 10.0
"""Iterations in which gradients keep their direction. AdaGrad divides by all gradients so far, so after these its steps
are smaller by their root. The first steps of AdaDelta begin so large by its empty history, and what they add up to
keeps them so large."""


def pulls_of_decay(start: Start, solver: Any, rate: float) -> list[Pull]:
    """Of all weights that decay and whose size counts, the pull of the decay (SGDSolver::Regularize) against the
    gradient."""
    found = []
    factor = clipping(start, solver)
    for param, gradient in start.learned.items():
        if param.index or not param.lr_mult or not param.layer.has_weights or is_rescaled(param.layer):
            continue
        size = size_of(param.layer, start.drawn.get(param.layer, FILLED))
        pull = abs(solver.weight_decay * param.decay_mult) * (1.0 if solver.regularization_type == "L1" else size)
        if size and pull:
            shrinks = step_of(solver, pull, rate * param.lr_mult) / size
            found.append(Pull(param, pull / max(gradient * factor, 1e-300), shrinks))
    return found


_ALONE = 0.1
"""A layer whose updates are large among calm ones is made up for by these; where there is no other one, the next is
taken to have so much of its updates, and never less than the square of that."""
_EDGE, _EDGE_SCALED = 0.5, 0.75


def edge(solver: Any) -> float:
    """The heat at which nets no longer learn, in the middle of those that were measured on Caffe."""
    return _EDGE_SCALED if solver.type in SCALED else _EDGE


def heat(found: list[Update]) -> float:
    """The geometric mean of the two largest ratios: it takes two layers for each to blow up the other."""
    if not found:
        return 0.0
    ratios = sorted((one.ratio for one in found), reverse=True)
    second = max(ratios[1], ratios[0] * _ALONE**2) if ratios[1:] else ratios[0] * _ALONE
    return math.sqrt(ratios[0] * second)
