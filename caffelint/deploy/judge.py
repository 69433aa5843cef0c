"""What a target makes of a net."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from caffelint.caffe.states import TEST, State
from caffelint.deploy.as_read import Reading, broken
from caffelint.deploy.facts import REFUSED, Fact, Target
from caffelint.deploy.subjects import LayerSubject, NetSubject
from caffelint.deploy.wrong_facts import WrongFacts

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.net import Layer, Net


class Judged(NamedTuple):
    """A fact that holds for the layer of that place in the net, or for the net itself where there is none."""

    target: Target
    fact: Fact
    place: int | None


def judge(net: Net, target: Target, built: BuiltNet | None = None) -> Iterator[Judged]:
    """All that a target does to a net otherwise than Caffe, as far as is known; of a layer that it refuses only that.

    built: what Caffe builds of it, for TEST where it is left out. Raises `WrongFacts` where a fact asks for what there
    is not.
    """
    if built is None:
        (built,) = net.build([State(TEST)])
    of_net = NetSubject(net, built)
    for fact in target.of_nets:
        if _holds(fact, of_net, target):
            yield Judged(target, fact, None)
    if not target.reads_phases and target.takes:
        kept = {layer.index for layer in built.layers}
        for left_out in net.layers:
            if left_out.index not in kept and left_out.type not in target.takes:
                yield Judged(target, _not_taken(target, left_out.type), left_out.index)
    readings: dict[int, Reading | None] = {}
    for layer in built.layers:
        node = net.layers[layer.index].node if layer.index is not None else None
        if node is None or node.name not in ("layer", "layers"):
            continue  # Caffe's own layer, not the text's
        if target.takes and layer.type not in target.takes:
            yield Judged(target, _not_taken(target, layer.type), layer.index)
            continue
        subject = LayerSubject(layer, built)
        found = [fact for fact in target.by_type.get(layer.type, ()) if _holds(fact, subject, target)]
        refused = [fact for fact in found if fact.verdict == REFUSED]
        for fact in refused[:1] or found:
            yield Judged(target, fact, layer.index)
            if layer.index is not None and fact.left_out:
                readings[layer.index] = None
            elif layer.index is not None and fact.reads:
                readings[layer.index] = {name: value(subject) for name, value in fact.reads} | (
                    readings.get(layer.index) or {}
                )
    if readings and target.checks_shapes:
        place = broken(net, built, readings)
        if place is not None and net.layers[place].type in target.checks_shapes:
            first = net.layers[min(readings)]
            yield Judged(target, _unfit(target, net.layers[place], first), place)


def _holds(fact: Fact, subject: LayerSubject | NetSubject, target: Target) -> bool:
    """Does a fact hold, for certain? What cannot be computed of a layer, such as 1 // 0, is not known."""
    try:
        return fact.when is None or bool(fact.when(subject))
    except KeyError as error:
        raise WrongFacts(f"{target.name}: a condition asks for {error.args[0]}") from error
    except (TypeError, IndexError, ArithmeticError, ValueError):
        return False


def _unfit(target: Target, layer: Layer, first: Layer) -> Fact:
    does = f'stops here, since it reads {first.type} "{first.name}" otherwise and the shapes no longer fit'
    return Fact(REFUSED, (layer.type,), None, does, "", (), "", "what it reads", target.known)


def _not_taken(target: Target, layer_type: str) -> Fact:
    return Fact(REFUSED, (layer_type,), None, target.otherwise.format(type=layer_type), "", (), "", "", target.known)
