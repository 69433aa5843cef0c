"""What repeats in a net: its blocks, and runs of them, found in the order of its layers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from caffelint.page.units import Unit, Units

_LONGEST_PERIOD = 12
_FAR = 12
_LEAST_SAVED = 3
"""Boxes."""
_FEW = 12
"""A branching part of no more units is a block; a larger one is looked into."""


class Module(NamedTuple):
    """Consecutive units that are drawn as one box until it is opened.

    parts: numbers of units, and modules. repeats: how many parts are alike; 1 for a block.
    """

    parts: tuple[Part, ...]
    repeats: int = 1

    @property
    def units(self) -> list[int]:
        """The numbers of all units in it."""
        found: list[int] = []
        for part in self.parts:
            found += [part] if isinstance(part, int) else part.units
        return found


Part = int | Module


class _Item(NamedTuple):
    """A unit or a block, with what it has in common with those like it."""

    part: Part
    likeness: Hashable


def modules(found: Units) -> tuple[Part, ...]:
    """All units of a net in order, with those that repeat folded into modules.

    Consecutive units can always be folded: an edge leads from a lower number to a higher one, so no circle arises.
    """
    wiring = _wiring(found)
    items: list[_Item] = []
    for region in _regions(found):
        if len(region) == 1:
            items.append(_Item(region[0], ("one", _type(found.units[region[0]]), _size(found.units[region[0]]))))
        elif len(region) <= _FEW:
            likeness = tuple((_type(found.units[unit]), wiring[unit]) for unit in region)
            items.append(_Item(Module(tuple(region)), likeness))
        else:
            inner = [_Item(unit, ("in", _type(found.units[unit]), wiring[unit])) for unit in region]
            items += _folded(inner)
    counts = Counter(item.likeness for item in items)
    folded = _folded(items)
    return tuple(part for item in folded for part in _open(item, counts))


def _open(item: _Item, counts: Counter[Hashable]) -> tuple[Part, ...]:
    """A block that occurs once is not folded."""
    part = item.part
    if isinstance(part, Module) and part.repeats == 1 and counts[item.likeness] < 2:
        return part.parts
    return (part,)


def _regions(found: Units) -> Iterator[list[int]]:
    """The units, cut wherever at most one blob leads across; data and labels, which many layers read, do not count."""
    has_bottom = {edge.target for edge in found.edges}
    last: dict[tuple[int, str], int] = {}
    for edge in found.edges:
        if edge.source in has_bottom:
            key = (edge.source, edge.blob)
            last[key] = max(last.get(key, 0), edge.target)
    across = [0] * (len(found.units) + 1)
    for (source, _), target in last.items():
        across[source] += 1
        across[target] -= 1
    region: list[int] = []
    alive = 0
    for unit in range(len(found.units)):
        region.append(unit)
        alive += across[unit]
        if alive <= 1:
            yield region
            region = []
    if region:
        yield region


def _wiring(found: Units) -> list[tuple[int, ...]]:
    """How far before each unit those are that it reads; 0 for far away."""
    steps: list[list[int]] = [[] for _ in found.units]
    for edge in found.edges:
        step = edge.target - edge.source
        steps[edge.target].append(step if step <= _FAR else 0)
    return [tuple(sorted(one)) for one in steps]


def _type(unit: Unit) -> Hashable:
    return tuple((layer.type, layer.written_windows() if layer.message is not None else None) for layer in unit.layers)


def _size(unit: Unit) -> Hashable:
    return tuple(top.shape for top in unit.last.tops)


def _folded(items: Sequence[_Item]) -> list[_Item]:
    """The items, with each stretch that is repeated at once as one module; short stretches first, as they may be a
    part of longer ones."""
    found = list(items)
    for period in range(1, _LONGEST_PERIOD + 1):
        found = _folded_by(found, period)
    return found


def _folded_by(items: Sequence[_Item], period: int) -> list[_Item]:
    found: list[_Item] = []
    at = 0
    while at < len(items):
        repeats = 1
        while _alike(items, at, at + period * repeats, period):
            repeats += 1
        saved = (repeats - 1) * sum(_count(item.part) for item in items[at : at + period])
        if saved < _LEAST_SAVED:
            found.append(items[at])
            at += 1
            continue
        stretches = [items[at + period * number : at + period * (number + 1)] for number in range(repeats)]
        parts = tuple(one[0].part if period == 1 else Module(tuple(item.part for item in one)) for one in stretches)
        likeness = ("run", repeats, tuple(item.likeness for item in stretches[0]))
        found.append(_Item(Module(parts, repeats), likeness))
        at += period * repeats
    return found


def _alike(items: Sequence[_Item], one: int, other: int, length: int) -> bool:
    if other + length > len(items):
        return False
    return all(items[one + step].likeness == items[other + step].likeness for step in range(length))


def _count(part: Part) -> int:
    return 1 if isinstance(part, int) else len(part.units)
