"""What Caffe refuses of a layer's own fields, whatever the shapes of its bottoms: a stride of 0, a group that does not
divide num_output.

Caffe meets such a field only once it has the bottoms. So the layer is set up with bottoms of several shapes, as unlike
each other as can be; what stops it each time for the same cause does not hang on them.
"""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.set_up import MOST_REMEMBERED, likeness, set_up
from caffelint.caffe.shapes import Shape

_OF_FIELDS = frozenset(
    [
        Kind.MISSING_FIELD,
        Kind.CONFLICTING_FIELDS,
        Kind.FIELD_NOT_TAKEN,
        Kind.FIELD_COUNT,
        Kind.VALUE_OUT_OF_RANGE,
        Kind.EVEN_LOCAL_SIZE,
        Kind.NOT_DIVISIBLE,
        Kind.PADDING_TOO_LARGE,
        Kind.DIVISION_BY_ZERO,
    ]
)
_OF_AXES = frozenset([Kind.WRONG_AXES, Kind.NO_SUCH_AXIS])
"""Kinds for a shape that the layer does not take at all, and that tells nothing of its fields."""
_SHAPES = ((2, 24, 72, 72), (4, 5, 9, 31), (3, 24, 40), (5, 7, 12, 30, 50))
"""None without pixels: beside those a Convolution has no use for a stride or a kernel, and so checks none."""

# Layers of which some shape may pass, by all that their set-up depends on: nets repeat themselves.
_passed: set[Hashable] = set()


def own_refusal(layer: BuiltLayer) -> Refusal | None:
    """What Caffe stops with at this layer whatever its unknown bottoms are; None if some shape may pass.

    The layer was set up with unknown bottoms before, which met no refusal.
    """
    if layer.refuses_early:
        return None
    key = likeness(layer, [blob.shape for blob in layer.bottoms])
    if key is not None and key in _passed:
        return None
    found = _own_refusal(layer)
    if key is not None and found is None:
        if len(_passed) >= MOST_REMEMBERED:
            _passed.clear()
        _passed.add(key)
    return found


def _own_refusal(layer: BuiltLayer) -> Refusal | None:
    group = max(getattr(layer.parameters, "group", 1), 1) if layer.block else 1
    found = None
    for shape in _SHAPES:
        refusal = _refused(layer, (shape[0], shape[1] * group, *shape[2:]))
        if refusal is None:
            return None
        if refusal.kind in _OF_AXES:
            continue
        if refusal.kind not in _OF_FIELDS or found is not None and not _is_same(refusal, found, len(shape)):
            return None
        found = found or refusal
    return found


def _is_same(one: Refusal, first: Refusal, axes: int) -> bool:
    """Is it the refusal that was met first, with four axes? Words may tell of as many as there are: kernel 0x0."""
    same_words = one.message == first.message or axes != len(_SHAPES[0])
    return same_words and (one.kind, one.caffe) == (first.kind, first.caffe)


def _refused(layer: BuiltLayer, shape: Shape) -> Refusal | None:
    """What it stops with if all its unknown bottoms have this shape."""
    bottoms = tuple([shape if blob.shape is None else blob.shape for blob in layer.bottoms])
    try:
        set_up(copy(layer), bottoms)
    except Refusal as refusal:
        refusal.__traceback__ = None  # it holds the build
        return refusal
    return None
