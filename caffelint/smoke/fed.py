"""What the nets of a run were fed: real data or synthetic, of a known shape or an assumed one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from caffelint.caffe.shapes import Shape


class MadeUp(NamedTuple):
    """Synthetic data of a net. layer: the one that lacks its own, "" if it was not even asked. why: in words.

    by_program: may a program fill it, as no source is missing?
    """

    net: int
    phase: str
    layer: str
    why: str
    by_program: bool = False


class Assumed(NamedTuple):
    """A top whose shape nothing tells."""

    net: int
    top: str
    shape: Shape


class Fed(NamedTuple):
    """records: how many the source of a layer holds, by its net and name, where that is known."""

    made_up: tuple[MadeUp, ...] = ()
    assumed: tuple[Assumed, ...] = ()
    records: Mapping[int, Mapping[str, int]] = {}

    def joined(self, other: Fed) -> Fed:
        """With that of another net."""
        records = {**self.records, **other.records}
        return Fed((*self.made_up, *other.made_up), (*self.assumed, *other.assumed), records)

    def stepped_by(self, place: object) -> Fed:
        """With the script that steps the solver as what fills the inputs."""
        why = f"{place} steps the solver and fills it, which no run here follows"
        made_up = tuple(one._replace(why=why) if one.by_program else one for one in self.made_up)
        return self._replace(made_up=made_up)

    def held(self, net: int, layer: str) -> int:
        """How many records the source of a layer holds, 0 if that is not known."""
        return self.records.get(net, {}).get(layer, 0)


NOTHING = Fed()
