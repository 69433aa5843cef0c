from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from caffelint.lint import CERTAIN, LIKELY, WARNING, Cause, Finding, Invalid
from caffelint.smoke.rule import BLOB, DATA, BuiltLayer, Run, SmokeRule, Statistics

from ._cause import too_large
from ._evidence import evidence
from ._example import CALM, WITH_DROPOUT, losses, project, spread
from ._learning import is_zero, no_weights, without_weights

_WHY = {
    "ReLU": "all it reads is at most 0: a bias far below 0, weights of one sign, or an update that was too large",
    "Dropout": "it drops everything: dropout_ratio is the share that is dropped",
    "Scale": "its scale is 0: give it a filler of 1, which is the default where no filler is written",
    "BatchNorm": "it takes one value for each channel, whose mean is the value itself: use larger batches or maps",
    "Pooling": "its windows lie on padding alone",
    "MVN": "it normalises each map by itself, and a map of one value is its own mean: set across_channels: true",
}
_SURE = frozenset(["Scale", "Pooling"])
_NORMALISERS = frozenset(["BatchNorm", "MVN"])
_MANY = 64
_AT_ITS_ENDS, _SOME = 1e-6, 1e-3
_SATURATED = WITH_DROPOUT.replace('type: "ReLU"', 'type: "Sigmoid"')


def _half(at: int, low: float, high: float, spread: float) -> Statistics:
    return Statistics(at, "relu", BLOB, "fc", DATA, low, high, 0.5, spread, 0)


class DeadUnits(SmokeRule):
    """Every value that a layer gives is 0, or lies at the end of a Sigmoid or TanH, whatever comes in.

    ## Why is this bad?
    What lies behind it sees nothing of the data, and no gradient passes back: what lies before it cannot learn. A ReLU
    is dead where all that it reads is at most 0, from the start for want of sound fillers, or from an iteration on in
    which an update was too large.

    ## References
    - relu_layer.cpp, Backward_cpu; dropout_layer.cpp; batch_norm_layer.cpp
    """

    code = "X106"
    name = "dead-units"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _half(-1, 0, 1, 0.5), _half(5, 0.01, 0.9, 0.3), net=_SATURATED),
        project(*losses(*CALM), spread(-1, "relu", BLOB, "fc", 1, 0.5), spread(5, "relu", BLOB, "fc", 1, 0.9)),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), spread(-1, "relu", BLOB, "fc", 0, 1), spread(5, "relu", BLOB, "fc", 0, 1)),
            span="layer",
            message='all that "relu" (ReLU) gives is 0, from the start to iteration 5',
        ),
        Invalid(
            project(
                *losses(*CALM),
                spread(-1, "log", BLOB, "log", 1, 0.5),
                spread(5, "log", BLOB, "log", 0, 1),
                net=WITH_DROPOUT,
            ),
            span="layer",
            message='all that "log" (Dropout) gives is 0 in iteration 5, and was not at the start',
        ),
        Invalid(
            project(*losses(*CALM), _half(-1, 0, 1, 0.5), _half(5, 0, 1, 0.5), net=_SATURATED),
            span="layer",
            message='all that "relu" (Sigmoid) gives is 0 or 1: it is saturated, and passes no gradient',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        measured = run.measured
        if not run.finite or len(measured) < 2:
            return
        dead = [layer for layer in run.built[0].layers if _is_dead(run, layer)]
        if not dead:
            yield from self._saturated(run)
            return
        layer, blob = dead[0], dead[0].tops[0].name
        first = run.statistics(measured[0], layer.name, BLOB, blob, DATA)
        always = is_zero(first)
        message = f'all that "{layer.name}" ({layer.type}) gives is 0'
        message += (
            f", from the start to iteration {measured[-1]}"
            if always
            else f" in iteration {measured[-1]}, and was not at the start"
        )
        cause = layer
        if layer.type == "ReLU" and layer.bottoms[0].producer and layer.bottoms[0].producer.type in _NORMALISERS:
            cause = layer.bottoms[0].producer
        reason = _WHY.get(cause.type, "")
        told = Cause("layer", message, reason, CERTAIN if cause.type in _SURE else LIKELY)
        if (silent := without_weights(run, layer)) is not None:
            cause = silent
            told = Cause("weights", message, no_weights(silent))
        if not always and layer.type == "ReLU":
            large = too_large(run)
            told = large._replace(what=message, why=f"an update moved all that it reads below 0: {large.why}")
        told = told._replace(known=(*told.known, *(one for one in run.known([cause.name]) if one not in told.known)))
        yield self.finding(
            run.place(layer.name), message, evidence=evidence(told.why, _so_are(dead), known=told.known), cause=told
        )

    def _saturated(self, run: Run) -> Iterator[Finding]:
        """A Sigmoid or TanH all of whose values lie at its ends: its gradient is 0 there."""
        full = [layer for layer in run.built[0].layers if _is_saturated(run, layer)]
        if full:
            layer = full[0]
            ends = "0 or 1" if layer.type == "Sigmoid" else "-1 or 1"
            what = f'all that "{layer.name}" ({layer.type}) gives is {ends}'
            effect = "it is saturated, and passes no gradient"
            remedy = "scale down what it reads: the input, the fillers, or a bias"
            known = run.known([layer.name])
            yield self.finding(
                run.place(layer.name),
                f"{what}: {effect}",
                evidence=evidence(remedy, _so_are(full), known=known),
                cause=Cause("input-scale", what, f"{effect}; {remedy}", LIKELY, known=known),
            )


def _so_are(layers: Sequence[BuiltLayer]) -> str:
    """Of those after the first."""
    others = [f'"{other.name}"' for other in layers[1:4]]
    return f"so are {', '.join(others)}" if others else ""


def _is_saturated(run: Run, layer: BuiltLayer) -> bool:
    """From the start to the end: mean and mean square tell values of 0 and 1, or of -1 and 1, from all others."""
    if layer.type not in ("Sigmoid", "TanH") or not layer.need_backward or not any(layer.propagate_down):
        return False
    for at in (run.measured[0], *run.measured[-2:]):
        found = run.statistics(at, layer.name, BLOB, layer.tops[0].name, DATA)
        if found is None:
            return False
        square = found.mean**2 + found.std**2
        away = abs(square - (found.mean if layer.type == "Sigmoid" else 1))
        if away > _AT_ITS_ENDS or square < _SOME:
            return False
    return True


def _is_dead(run: Run, layer: BuiltLayer) -> bool:
    """Is the last version of a blob that the layer writes all 0 at the end, with a gradient wanted through it?

    Few values may all be 0 by chance: then they have to be so the time before, too.
    """
    if not layer.bottoms or layer.is_loss or not layer.need_backward or not layer.tops:
        return False
    shape = layer.tops[0].shape
    times = 1 if shape and math.prod(shape) >= _MANY else 2
    found = [run.statistics(at, layer.name, BLOB, layer.tops[0].name, DATA) for at in run.measured[-times:]]
    return all(map(is_zero, found))
