"""Setting a layer up: the shapes of its tops, and what it knows of itself, from the shapes of its bottoms."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.shapes import PartialShape, Shape

MOST_REMEMBERED = 4096

# What set_up gave, and left in the layer, by all that it depends on.
_known: dict[Hashable, tuple[Sequence[Shape | None], dict[str, Any]]] = {}


def set_up(layer: BuiltLayer, bottoms: tuple[Shape | None, ...]) -> Sequence[Shape | None]:
    """The shapes of the tops; None for those that cannot be known. Raises Refusal where Caffe does.

    What is known from a layer just like it is taken from there: nets repeat themselves, and come in two phases.
    """
    key = likeness(layer, bottoms)
    if key is None:
        return _set_up(layer, bottoms)
    known = _known.get(key)
    if known is None:
        before = dict(layer.__dict__)
        shapes = _set_up(layer, bottoms)
        # A layer that was set up before, with other bottoms, holds some of it already.
        found = {name: value for name, value in layer.__dict__.items() if before.get(name, before) is not value}
        if len(_known) >= MOST_REMEMBERED:
            _known.clear()
        _known[key] = shapes, found
        return shapes
    shapes, found = known
    layer.__dict__.update(found)
    return shapes


def likeness(layer: BuiltLayer, bottoms: Sequence[PartialShape | None]) -> Hashable:
    """All that the set-up of a layer depends on; None if that is more than can be told at once."""
    if not layer.repeats or layer.message.blobs:
        return None
    if layer.settings is None:
        layer.settings = layer.parameters.SerializePartialToString()
    return layer.__class__, layer.settings, tuple(bottoms), len(layer.tops), layer.strict


def _set_up(layer: BuiltLayer, bottoms: tuple[Shape | None, ...]) -> Sequence[Shape | None]:
    layer.check_counts(len(bottoms), len(layer.tops))
    if not layer.strict and layer.has_fork_fields():
        return layer.set_up_fork(bottoms)
    if None in bottoms or (layer.message is not None and layer.message.blobs):
        return layer.set_up_unknown(bottoms)
    return layer.set_up(bottoms)  # type: ignore[arg-type]
