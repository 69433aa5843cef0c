"""Who makes and who reads a blob, from the text alone: by name within a phase, in the order in which layers stand.

What Caffe builds knows more (`Blob.maker`, `Blob.readers`), but only of layers that a state keeps, and of a net that
stays as it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.net import Layer, Net


class Source(NamedTuple):
    """The layer that makes a blob, as its top number `top`."""

    layer: Layer
    top: int


Through = Callable[["Layer"], object]


def hands_on(layer: Layer) -> bool | None:
    """Does the layer hand on the values of its first bottom?"""
    return layer.kind.hands_on


def source(layer: Layer, bottom: int, phase: str, through: Through = hands_on) -> Source | None:
    """What makes a layer's bottom in a phase, seen through the layers that `through`, a plain function, says yes to."""
    ends = layer.net.once(_ends)
    made = layer.maker(bottom, phase)
    passed: list[int] = []
    while made is not None and made.layer.bottoms and through(made.layer):
        key = through, made.layer.index, phase
        if key in ends:
            made = ends[key]
            break
        passed.append(made.layer.index)
        made = made.layer.maker(0, phase)
    ends.update(((through, index, phase), made) for index in passed)
    return made


def _ends(net: Net) -> dict[tuple[Through, int, str], Source | None]:
    """Where the way up from a layer ends: many begin below one long chain."""
    return {}


def sources(layer: Layer, bottom: int, through: Through = hands_on) -> Iterator[tuple[Source, tuple[str, ...]]]:
    """What makes a bottom in each of the layer's phases: each source once, with the phases in which it does."""
    found: dict[int, tuple[Source, tuple[str, ...]]] = {}
    for phase in layer.phases:
        made = source(layer, bottom, phase, through)
        if made is not None:
            index = made.layer.index
            found[index] = (made, (*found[index][1], phase) if index in found else (phase,))
    yield from found.values()
