"""What converters make of a net, for rules: `caffelint.deploy` over nets as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from caffelint.deploy.facts import LIMITED, MISREAD, REFUSED, RUN, Fact, Target, names, target
from caffelint.deploy.judge import judge

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer, Net

__all__ = ["LIMITED", "MISREAD", "REFUSED", "RUN", "Fact", "Met", "Target", "meetings", "names", "target"]


class Met(NamedTuple):
    """A fact that holds for a layer of the text, or for the net where there is none."""

    target: Target
    fact: Fact
    layer: Layer | None


def meetings(net: Net, name: str) -> list[Met]:
    """What a target makes of a net otherwise than Caffe; found out once."""
    found: dict[str, list[Met]] = net.once(_found)
    if name not in found:
        found[name] = [
            Met(one.target, one.fact, None if one.place is None else net.layers[one.place])
            for one in judge(net, target(name))
        ]
    return found[name]


def _found(net: Net) -> dict[str, list[Met]]:
    return {}
