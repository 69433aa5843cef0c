"""How far one step moves what layers make, of solvers whose steps are as large for any gradient."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.convolution import Convolution
from caffelint.caffe.layers.linear import InnerProduct
from caffelint.caffe.shapes import count
from caffelint.numerics.forward import places, shape_of
from caffelint.numerics.signal import BOTH, PLACE, SAME, SAMPLE, rows
from caffelint.numerics.start import Start, is_rescaled
from caffelint.numerics.updates import clipping, edge, step_of

_REACH = 3.0
"""The largest reach with which nets learn, in the middle of those that were measured on Caffe."""


def heat_of_reach(start: Start, solver: Any, rate: float) -> float | None:
    """The heat that is to reaches what that of updates is to these; None where some are not known, or where
    layers normalise.

    What layers would make of the data with their first updates in place of their weights is the product of the scores
    and of all reaches: from a size of it on these scores take over. So the geometric mean of all tells, which holds
    for data of any scale, as gradients do not.
    """
    scores = [one for layer in start.losses if (one := start.signals.get(layer.bottoms[0])) is not None]
    size = max((one.size for one in scores), default=0.0)
    if any(is_rescaled(param.layer) for param in start.learned):
        return None
    reached = list(_reaches(start, solver, rate))
    if not reached or not size or min(reached) <= 0:
        return None
    total = math.log(size) + sum(math.log(one) for one in reached)
    return math.exp(total / len(reached)) / _REACH * edge(solver)


def _reaches(start: Start, solver: Any, rate: float) -> Iterator[float]:
    """What one step adds to what each layer makes of the same batch, against that."""
    factor = clipping(start, solver)
    for param, size in start.learned.items():
        top = start.signals.get(param.layer.tops[0])
        if not param.index and param.lr_mult and param.layer.has_weights and top and top.size:
            step = step_of(solver, size * factor, rate * param.lr_mult)
            yield step * _turned(param.layer, start) / top.size


def _turned(layer: BuiltLayer, start: Start) -> float:
    """What is added for each unit of the update's root mean square; 0 for layers of other types.

    An update is a sum of products of inputs and gradients, so it adds to the outputs of a sample what gradients of
    others come to, times how far their inputs have the direction of its own. Both, as matrices over samples and
    places, have the same four spaces of eigenvectors: of what all share, samples, places, or none do.
    """
    inputs, gradients = start.signals.get(layer.bottoms[0]), start.gradients.get(layer.tops[0])
    top, weights = layer.tops[0].shape, layer.param_shapes
    if not inputs or not gradients or not top or not weights:
        return 0.0
    if isinstance(layer, InnerProduct):
        axis, shape = layer.parameters.axis, shape_of(layer)
        samples, positions = float(math.prod(shape[:axis])), 1.0
        if axis == 2 and len(shape) == 3:
            inputs, gradients = rows(inputs), rows(gradients)
    elif type(layer) is Convolution:
        samples, positions = float(top[0]), float(places(top))
    else:
        return 0.0
    read = count(weights[0]) / max(weights[0][0], 1)
    alike, pull = _spaces(inputs.kernels, samples, positions), _spaces(gradients.kernels, samples, positions)
    many = samples * positions
    counts = (1, samples - 1, positions - 1, (samples - 1) * (positions - 1))
    added = sum(n * a * a * b for n, a, b in zip(counts, alike, pull, strict=True)) / many
    by_chance = many * gradients.mean_square * inputs.mean_square**2 / max(read, 1)
    whole = sum(n * a * b for n, a, b in zip(counts, alike, pull, strict=True))
    return read * math.sqrt((added + by_chance) / whole) if whole > 0 else 0.0


def _spaces(kernels: Sequence[float], samples: float, positions: float) -> tuple[float, float, float, float]:
    """Eigenvalues of the mean products: in common, of samples, of places, and of both."""
    same, place, sample, both = (kernels[pair] for pair in (SAME, PLACE, SAMPLE, BOTH))
    one, other = same + (positions - 1) * place, sample + (positions - 1) * both
    alone, apart = same - place, sample - both
    found = (one + (samples - 1) * other, one - other, alone + (samples - 1) * apart, alone - apart)
    first, second, third, fourth = (max(value, 0.0) for value in found)
    return first, second, third, fourth
