"""What makes the steps of a solver far smaller than its rate says: fields that are away from their defaults."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.caffe.fillers import draws
from caffelint.caffe.layers import BuiltLayer
from caffelint.smoke.diagnosis.change import of_layer, of_one, of_solver
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.events import DATA, PARAM
from caffelint.smoke.learning import is_zero, size, weights
from caffelint.smoke.loss import CLEARLY, progress
from caffelint.smoke.run import Run

_USUAL_DELTA = 1e-8
_OUTWEIGHS = 3.0
"""Times the gradient: what a delta leaves of the step is less than a quarter of it."""
_SMALL_WEIGHT, _SMALL_MULT = 0.1, 0.01
"""Below it a loss_weight, or an lr_mult, shrinks the step of all that it is of by a lot."""
_DIVIDES = ("AdaGrad", "RMSProp", "Adam")
"""AdaDelta's delta makes its first steps: the larger it is, the larger are they."""


def small_steps(run: Run) -> Iterator[Hypothesis]:
    """Those whose score is a measured one: by how many powers of ten the step is smaller than it would be."""
    yield from _delta(run)
    yield from _all_weights_small(run)
    yield from _held(run)


def _delta(run: Run) -> Iterator[Hypothesis]:
    """field: `outweighs`. value: the delta; figure: the largest gradient of a layer's weights, as its square is."""
    message = run.solver.message
    sizes = [size(one.gradient) for one in weights(run) if one.gradient is not None and not is_zero(one.gradient)]
    if run.solver.type not in _DIVIDES or not sizes or not message.delta > _OUTWEIGHS * max(sizes):
        return
    score = max(STRONG, math.log10(message.delta / max(sizes))) + 0.1
    changes = of_solver(run, "delta", _USUAL_DELTA)
    place = run.solver.at("delta")
    yield Hypothesis("delta", place, score, changes, "outweighs", value=message.delta, figure=max(sizes))


def _all_weights_small(run: Run) -> Iterator[Hypothesis]:
    """All losses have a small weight, so nothing is balanced by it. field: `tiny`."""
    losses = [layer for layer in run.loss_layers if layer.message is not None and layer.message.loss_weight]
    most = max((abs(layer.loss_weights[0]) for layer in run.loss_layers), default=0.0)
    if not 0 < most < _SMALL_WEIGHT or len(losses) < len(run.loss_layers):
        return
    # What the weights of several losses are to each other stays.
    each = [
        of_layer(run, layer, "loss_weight", 0, value=float(f"{layer.loss_weights[0] / most:.3g}")) for layer in losses
    ]
    changes = of_one(tuple(change for one in each for change in one))
    first = max(losses, key=lambda layer: abs(layer.loss_weights[0]))
    place = run.place(first.name, 0, "loss_weight")
    score = max(STRONG, -math.log10(most)) + 0.1
    yield Hypothesis("loss-weight", place, score, changes, "tiny", (first,), first.loss_weights[0])


def _held(run: Run) -> Iterator[Hypothesis]:
    """Weights that fillers made, of which an lr_mult of 0, or next to it, lets next to nothing learn.

    field: `frozen`. value: the largest. Not where weights were loaded, which are mostly to stay as they are, or a
    script gives them, as from one net of two to the other, nor where the loss falls: to learn from random features may
    be what is wanted.
    """
    if run.loaded or run.has_weights_by_script or progress(run) < CLEARLY:
        return
    held = [
        layer
        for layer in run.built[0].layers
        if layer.has_weights
        and layer.params
        and layer.message is not None
        and layer.message.param
        and not layer.keeps_statistics
        and layer.params[0].owner is None
        and abs(layer.params[0].lr_mult) < _SMALL_MULT
        and not _is_constant(run, layer.name)
        and _is_drawn(layer)
    ]
    if not held:
        return
    each = [
        of_layer(run, layer, "param", param.index, "lr_mult", value=1)
        for layer in held
        for param in layer.params or ()
        if param.index < len(layer.message.param) and abs(param.lr_mult) < _SMALL_MULT
    ]
    changes = of_one(tuple(change for one in each for change in one))
    place = run.place(held[0].name, 0, "param", 0, "lr_mult")
    most = max((layer.params[0].lr_mult for layer in held if layer.params), key=abs)
    yield Hypothesis("lr-mult", place, STRONG + 0.1, changes, "frozen", tuple(held), most)


def _is_drawn(layer: BuiltLayer) -> bool:
    """Are its weights random, and not those of a bilinear filler, which are mostly to stay as they are?"""
    return not layer.fillers or draws(getattr(layer.parameters, layer.fillers[0]))


def _is_constant(run: Run, layer: str) -> bool:
    """Are its weights all the same, as of a layer that only adds, or takes a mean?"""
    found = run.statistics(-1, layer, PARAM, 0, DATA)
    return found is not None and found.std == 0
