"""What a layer makes of bottoms of which only some sizes are known: 32 images of 128 x 128, in nobody knows how many
channels, that a Convolution turns into 32x96x120x120.

The layer is set up twice, each time with other sizes in place of the unknown ones. What comes out the same does not
hang on them; what differs stays unknown. So nothing has to be said about layer types one by one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from typing import Any

from caffelint.caffe.fork_fields import has_fork_fields
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.layers.data import DataLayer
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.set_up import MOST_REMEMBERED, likeness, set_up
from caffelint.caffe.shapes import PartialShape, Shape
from caffelint.text.records import NamedTuple

# In place of an unknown batch, number of channels and side: numbers that groups, strides and parts divide, and far
# enough from each other that a window does not make the same of both. The small sides are for InnerProducts, whose
# weights get too large with more.
_BATCHES, _CHANNELS, _SIDES, _SMALL_SIDES = (2, 4), (12, 24), (24, 72), (2, 6)
_LONGEST_STRIDE = 40


def image_of(layer: BuiltLayer) -> PartialShape | None:
    """The sizes that the text gives of the images that a data layer of Caffe 1.0 reads."""
    if not isinstance(layer, DataLayer) or layer.fork or has_fork_fields(layer.message):
        return None
    return layer.partial_image()


class Partly(NamedTuple):
    """What does not hang on the unknown sizes of a layer's bottoms.

    tops: their sizes, as far as they are known. found: what the layer knows of itself. params: the sizes of its
    parameters, where not all are known.
    """

    tops: Sequence[PartialShape | None]
    found: Mapping[str, Any]
    params: Sequence[PartialShape | None] = ()

    def tell(self, layer: BuiltLayer) -> None:
        """Fill in what the layer, set up with unknown bottoms, does not know yet."""
        for blob, sizes in zip(layer.tops, self.tops, strict=False):
            if blob.shape is None and sizes is not None:
                blob.shape = whole(sizes)
                blob.partial = sizes if blob.shape is None else None
        for name, value in self.found.items():
            if getattr(layer, name, None) is None:
                setattr(layer, name, value)


_known: dict[Hashable, Partly | None] = {}


def whole(sizes: PartialShape | None) -> Shape | None:
    """The sizes as a shape, if all of them are known."""
    return None if sizes is None or None in sizes else sizes  # type: ignore[return-value]


def partly(layer: BuiltLayer) -> Partly | None:
    """What is known of a layer that is not set up yet; None if nothing is, since Caffe may refuse it."""
    sizes: list[PartialShape] = []
    for blob in layer.bottoms:
        known = blob.shape if blob.shape is not None else blob.partial
        if known is None:
            return None
        sizes.append(known)
    if layer.index is None:  # a split that Caffe inserts
        return Partly(sizes * len(layer.tops), {})
    key = likeness(layer, sizes)
    if key is None:
        return _set_up_twice(layer, sizes)
    if key not in _known:
        if len(_known) >= MOST_REMEMBERED:
            _known.clear()
        _known[key] = _set_up_twice(layer, sizes)
    return _known[key]


def _set_up_twice(layer: BuiltLayer, sizes: Sequence[PartialShape]) -> Partly | None:
    windows = layer.written_windows()
    if windows is not None and max(window.stride for window in windows) > _LONGEST_STRIDE:
        return None
    own = len(vars(layer))
    first, second = copy(layer), copy(layer)
    try:
        shapes = [set_up(one, _filled(sizes, turn, _SIDES)) for turn, one in enumerate((first, second))]
    except Refusal as refusal:
        if refusal.kind is not Kind.BLOB_TOO_LARGE or windows is not None:
            return None
        first, second = copy(layer), copy(layer)
        try:
            shapes = [set_up(one, _filled(sizes, turn, _SMALL_SIDES)) for turn, one in enumerate((first, second))]
        except Refusal:
            return None
    found, others = list(vars(first).items())[own:], vars(second)
    return Partly(
        [_common(*pair) for pair in zip(*shapes, strict=False)],
        {name: value for name, value in found if others.get(name) == value},
        [_common(*pair) for pair in zip(first.param_shapes or (), second.param_shapes or (), strict=False)],
    )


def _filled(bottoms: Sequence[PartialShape], turn: int, sides: Sequence[int]) -> tuple[Shape, ...]:
    """The bottoms with numbers in place of all that is unknown."""
    shapes = []
    for sizes in bottoms:
        likely = _BATCHES[turn], _CHANNELS[turn], *[sides[turn]] * len(sizes)
        filled = tuple([one if size is None else size for size, one in zip(sizes, likely, strict=False)])
        shape = whole(sizes)  # which may be UNSHAPED
        shapes.append(filled if shape is None else shape)
    return tuple(shapes)


def _common(one: Shape | None, other: Shape | None) -> PartialShape | None:
    if one is None or other is None or len(one) != len(other):
        return None
    if one == other:
        return one
    return tuple(size if size == second else None for size, second in zip(one, other, strict=True))
