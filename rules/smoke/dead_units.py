from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from caffelint.lint import LIKELY, WARNING, Cause, Finding, Invalid, listed, title, titles
from caffelint.smoke.rule import (
    BLOB,
    DATA,
    PARAM,
    BuiltLayer,
    Run,
    SmokeRule,
    Statistics,
    cut_off,
    dead_layers,
    is_zero,
    limits,
    made_zeros,
    without_weights,
)

from ._advice import advice
from ._cause import too_large
from ._evidence import evidence
from ._example import CALM, NET, WITH_DROPOUT, losses, project, spread
from ._nearly_dead import nearly_dead
from ._no_gradient import blank_data, no_weights
from ._numbers import number
from ._zeros import zeros_of

_AT_ITS_ENDS, _SOME = 1e-6, 1e-3
_DEEP = NET.replace(
    'type: "Log" bottom: "fc" top: "log"',
    'type: "InnerProduct" bottom: "fc" top: "log" inner_product_param { num_output: 10 }',
)
_KEEPS_HALF = WITH_DROPOUT.replace('type: "Dropout" bottom: "fc" top: "log"', 'type: "Dropout" bottom: "fc" top: "fc"')
_KEEPS_HALF = _KEEPS_HALF.replace('"SoftmaxWithLoss" bottom: "log"', '"SoftmaxWithLoss" bottom: "fc"')
_OWN_LOSS = WITH_DROPOUT.replace('"SoftmaxWithLoss"', '"Python" loss_weight: 1').replace(
    'top: "loss" }', 'top: "loss"\n  python_param { module: "hinge" layer: "Hinge" } }'
)
_SATURATED = WITH_DROPOUT.replace('type: "ReLU"', 'type: "Sigmoid"')


def _half(at: int, low: float, high: float, spread: float) -> Statistics:
    return Statistics(at, "relu", BLOB, "fc", DATA, low, high, 0.5, spread, 0)


class DeadUnits(SmokeRule):
    """Every output of a layer is 0, or at the limits of a Sigmoid or TanH, or no gradient reaches its weights.

    ## Why is this bad?
    The layers after it see nothing of the data, and no gradient passes back, so the layers before it cannot learn. A
    ReLU is dead if its whole input is at most 0: from the start because of bad fillers, or later because an update was
    too large. Layers below a propagate_down: false keep the weights that their fillers made, and the net learns from
    random features.

    ## Known problems
    Layers without a gradient are not reported if weights were loaded: then that is often intended.

    ## References
    - relu_layer.cpp, Backward_cpu; dropout_layer.cpp; batch_norm_layer.cpp
    """

    code = "X106"
    name = "dead-units"
    severity = WARNING
    VALID = [
        project(*losses(*CALM), _half(-1, 0, 1, 0.5), _half(5, 0.01, 0.9, 0.3), net=_SATURATED),
        project(*losses(*CALM), spread(-1, "relu", BLOB, "fc", 1, 0.5), spread(5, "relu", BLOB, "fc", 1, 0.9)),
        project(
            *losses(1.2, 0.7, 0.3, 0.1, 0, 0),
            spread(-1, "loss", BLOB, "loss", 1, 0),
            *(spread(at, "loss", BLOB, "loss", 0, 1) for at in (4, 5)),
            net=_OWN_LOSS,
        ),
    ]
    INVALID = [
        Invalid(
            project(*losses(*CALM), spread(-1, "relu", BLOB, "fc", 0, 1), spread(5, "relu", BLOB, "fc", 0, 1)),
            span="layer",
            message='ReLU "relu": every output is 0 from the start to iteration 5',
        ),
        Invalid(
            project(
                *losses(*CALM),
                spread(-1, "log", BLOB, "log", 1, 0.5),
                spread(5, "log", BLOB, "log", 0, 1),
                net=WITH_DROPOUT,
            ),
            span="layer",
            message='Dropout "log": every output is 0 in iteration 5, but was not at the start',
        ),
        Invalid(
            project(
                *losses(*CALM), spread(-1, "log", BLOB, "fc", 0, 1), spread(5, "log", BLOB, "fc", 0, 1), net=_KEEPS_HALF
            ),
            span="layer",
            message='ReLU "relu": every output is 0 from the start to iteration 5',
        ),
        Invalid(
            project(*losses(*CALM), _half(-1, 0, 1, 0.5), _half(5, 0, 1, 0.5), net=_SATURATED),
            span="layer",
            message='Sigmoid "relu": every output is 0 or 1, so it is saturated and passes no gradient',
        ),
        Invalid(
            project(
                *losses(*CALM),
                spread(-1, "log", PARAM, "0", 0.2),
                spread(5, "log", PARAM, "0", 0.2),
                net=_DEEP.replace('bottom: "fc" top: "log"', 'bottom: "fc" top: "log" propagate_down: false'),
            ),
            span="propagate_down: false",
            message='InnerProduct "fc": no gradient reaches it, so its weights stay what the fillers made them:'
            ' InnerProduct "log" has propagate_down: false',
        ),
    ]

    def check(self, run: Run) -> Iterator[Finding]:
        measured = run.measured
        if not run.finite or len(measured) < 2:
            return
        dead = dead_layers(run)
        if not dead:
            if (nearly := nearly_dead(run)) is not None:
                layer, told = nearly
                said = evidence(told.why, known=told.known)
                yield self.finding(run.place(layer.name), told.what, evidence=said, cause=told, severity=WARNING)
            yield from self._saturated(run)
            yield from self._cut_off(run)
            return
        layer, blob = dead[0], dead[0].tops[0].name
        first = run.statistics(measured[0], layer.name, BLOB, blob, DATA)
        always = is_zero(first)
        layer = made_zeros(layer)
        message = f"{title(layer)}: every output is 0"
        message += (
            f" from the start to iteration {measured[-1]}"
            if always
            else f" in iteration {measured[-1]}, but was not at the start"
        )
        cause = layer
        maker = layer.bottoms[0].producer
        if layer.rectifies and maker is not None and maker.normalises and advice(maker.type).zero.text:
            cause = maker
        why = advice(cause.type).zero
        reason = why.text or (zeros_of(run, cause) if always else "")
        told = Cause("layer", message, reason, why.certainty if why.text else LIKELY)
        if (silent := without_weights(run, layer)) is not None:
            cause = silent
            told = Cause("weights", message, no_weights(run, silent))
        if not always and layer.rectifies:
            large = too_large(run)
            moved = "" if large.kind == "fillers" else "an update moved its whole input below 0"
            told = large._replace(what=message, why=": ".join(part for part in (moved, large.why) if part))
        place = run.place(layer.name)
        if always and (blank := blank_data(run, layer)) is not None:
            cause, place = layer, blank.place
            told = blank.cause._replace(what=message)
        told = told._replace(known=(*told.known, *(one for one in run.known([cause.name]) if one not in told.known)))
        said = evidence(told.why, _so_are(dead), known=told.known, ruled_out=told.ruled_out)
        yield self.finding(place, message, evidence=said, cause=told)

    def _cut_off(self, run: Run) -> Iterator[Finding]:
        """Layers that never change because a layer nearer to the loss passes no gradient on."""
        cut = cut_off(run)
        if cut is None:
            return
        layers, stop = cut
        it, weights = ("them", "their weights stay") if layers[1:] else ("it", "its weights stay")
        what = f"{titles(layers)}: no gradient reaches {it}, so {weights} what the fillers made them"
        why = f"{title(stop)} has propagate_down: false"
        remedy = "remove that if they should learn, or load weights with --weights"
        known = run.known([stop.name])
        cause = Cause("lr-mult", what, f"{why}; {remedy}", known=known)
        place = run.place(stop.name, 0, "propagate_down")
        yield self.finding(place, f"{what}: {why}", evidence=evidence(remedy, known=known), cause=cause)

    def _saturated(self, run: Run) -> Iterator[Finding]:
        """A Sigmoid or TanH whose outputs are all at its limits, where its gradient is 0."""
        full = [layer for layer in run.built[0].layers if _is_saturated(run, layer)]
        if full:
            layer = full[0]
            at_limits = " or ".join(number(end) for end in limits(layer) or ())
            what = f"{title(layer)}: every output is {at_limits}, so it is saturated and passes no gradient"
            remedy = "scale its input down: the data, the fillers, or a bias"
            known = run.known([layer.name])
            yield self.finding(
                run.place(layer.name),
                what,
                evidence=evidence(remedy, _so_are(full), known=known),
                cause=Cause("input-scale", what, remedy, LIKELY, known=known),
            )


def _so_are(layers: Sequence[BuiltLayer]) -> str:
    """What to say of those after the first."""
    others = [f'"{other.name}"' for other in layers[1:]]
    return f"the same is true of {listed(others)}" if others else ""


def _is_saturated(run: Run, layer: BuiltLayer) -> bool:
    """From the start to the end: mean and mean square tell values that are all at the limits from all others."""
    at_ends = limits(layer)
    if at_ends is None or not layer.need_backward or not any(layer.propagate_down):
        return False
    for at in (run.measured[0], *run.measured[-2:]):
        found = run.statistics(at, layer.name, BLOB, layer.tops[0].name, DATA)
        if found is None:
            return False
        square = found.mean**2 + found.std**2
        away = abs(square - sum(at_ends) * found.mean + math.prod(at_ends))
        if away > _AT_ITS_ENDS or square < _SOME:
            return False
    return True
