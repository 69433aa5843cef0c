"""What is lost or blown up on its way through the layers, and the one change that mends it, for rules that judge it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from caffelint.caffe.build import build
from caffelint.lint.numerics import Training, judged, training
from caffelint.numerics.depth import GRADIENTS, VALUES, Depth, depth
from caffelint.numerics.judgement import FILLER, Cure, cures_of, judge
from caffelint.numerics.start import Change, start
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.solver import Solver

__all__ = ["GRADIENTS", "VALUES", "Depth", "Lost", "lost_in_depth"]


class Lost(NamedTuple):
    """cure: a change of fillers that mends it by itself. otherwise: what else does, in words."""

    found: Depth
    cure: Cure | None
    otherwise: str


def lost_in_depth(solver: Solver) -> Lost | None:
    """None where nothing is lost, where the figures name another fault, or where nobody knows."""
    one = training(solver) if judged(solver) is None else None
    if one is None or not one.is_shaped:
        return None
    try:
        found = depth(one.built, start(one.built, one.given), one.solver)
        if found is None:
            return None
        cures = cures_of(one.built, one.solver, one.given, lambda _, change: _is_well(one, one.built, change))
        filler = next((cure for cure in cures if cure.kind == FILLER), None)
        return Lost(found, filler, "" if filler else next(_others(one), ""))
    except ArithmeticError:  # beyond what can be told
        return None


def _is_well(one: Training, built: BuiltNet, change: Change) -> bool:
    return (
        depth(built, start(built, change), one.solver) is None
        and judge(built, one.solver, one.rate, one.steps, change) is None
    )


def _others(one: Training) -> Iterator[str]:
    """Changes of the net itself that mend it, as advice."""
    for type_ in ("Sigmoid", "TanH"):
        if any(layer.type == type_ for layer in one.built.layers):
            message = _copy(one)
            for layer in message.layer:
                layer.type = "ReLU" if layer.type == type_ else layer.type
            if _is_well(one, _rebuilt(one, message), one.given):
                yield f"use ReLU in place of {type_}"
    message = _copy(one)
    bent = {name for layer in message.layer for name in layer.bottom if _bends(one, layer.name)}
    weighted = {layer.name for layer in one.built.layers if layer.has_weights}
    for place in reversed(range(len(message.layer))):
        layer = message.layer[place]
        if layer.name in weighted and layer.top[0] in bent:
            norm = type(layer)(name=f"{layer.name}/normalised", type="BatchNorm")
            norm.bottom.append(layer.top[0])
            norm.top.append(layer.top[0])
            message.layer.insert(place + 1, norm)
    if _is_well(one, _rebuilt(one, message), one.given):
        yield "put a BatchNorm with a Scale behind each layer with weights"


def _bends(one: Training, name: str) -> bool:
    return any(layer.name == name and layer.is_activation for layer in one.built.layers)


def _copy(one: Training) -> Any:
    message = type(one.built.message)()
    message.CopyFrom(one.built.message)
    return message


def _rebuilt(one: Training, message: Any) -> BuiltNet:
    shapes = one.net.input_shapes
    return build(message, one.built.phase, one.built.stages, one.built.level, input_shapes=shapes, assume_inputs=True)
