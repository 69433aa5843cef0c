"""What converters make of a net, for rules: `caffelint.deploy` over nets as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from caffelint.caffe.states import TEST, TRAIN, State
from caffelint.deploy.facts import LIMITED, MISREAD, REFUSED, RUN, Fact, Target, names, target
from caffelint.deploy.judge import Judged, judge
from caffelint.deploy.kept import kept
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer, Net

__all__ = ["LIMITED", "MISREAD", "REFUSED", "RUN", "Fact", "Met", "Target", "meetings", "names", "target"]


class Met(NamedTuple):
    """A fact that holds for a layer of the text, or for the net where there is none."""

    target: Target
    fact: Fact
    layer: Layer | None


def meetings(net: Net, name: str) -> list[Met]:
    """What a target makes of a net otherwise than Caffe; found out once.

    Of a net that reads training data it is what stays of it for deployment, and nothing where a net for deployment is
    beside it.
    """
    found: dict[str, list[Met]] = net.once(_found)
    if name not in found:
        found[name] = list(_of_training(net, target(name)) if _trains(net) else _met(net, judge(net, target(name))))
    return found[name]


def _trains(net: Net) -> bool:
    return net.role == "train" and any(layer.kind.is_data for layer in net.layers)


def _of_training(net: Net, target: Target) -> Iterator[Met]:
    if any(other.role == "deploy" for other in net.deployed):
        return
    yield Met(target, _TRAINS, None)
    built = net.likely(State(TEST))
    if built.refusals:
        built = net.likely(State(TRAIN))
    stays = kept(built).layers
    yield from _met(net, (one for one in judge(net, target, built) if one.place in stays))


_TRAINS = Fact(
    LIMITED,
    (),
    None,
    "takes nets for deployment, and this one trains; what stays of it without data and losses is checked",
    "make the net for deployment with caffelint deploy",
    (),
    "",
    "their readers of data are not Caffe's",
    RUN,
)


def _met(net: Net, found: Iterable[Judged]) -> Iterator[Met]:
    return (Met(one.target, one.fact, None if one.place is None else net.layers[one.place]) for one in found)


def _found(net: Net) -> dict[str, list[Met]]:
    return {}
