"""Layers of forks that resize maps or reorder axes."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.caffe.layers.base import ONE, ONE_OR_TWO, BuiltLayer, register
from caffelint.caffe.refusal import Kind
from caffelint.caffe.shapes import Shape, as_int, like, new_blob, text


@register
class Permute(BuiltLayer):
    """Axes in a new order; those that `order` leaves out follow in their old one (SSD)."""

    types = ("Permute",)
    rearranges = True
    block = "permute_param"
    computes_by = ("order",)
    fork = True
    bottom_counts = ONE
    top_counts = ONE

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        order = list(self.parameters.order)
        function = "permute_layer.cpp LayerSetUp"
        for index, axis in enumerate(order):
            if axis >= len(shape):
                raise self.refuse(
                    Kind.NO_SUCH_AXIS,
                    f"axis {axis} does not exist: the bottom has {len(shape)} axes ({text(shape)})",
                    "order should be less than the input dimension.",
                    function,
                    ("order", index),
                )
            if axis in order[:index]:
                raise self.refuse(
                    Kind.CONFLICTING_FIELDS,
                    f"axis {axis} is in order twice",
                    "there are duplicate orders",
                    function,
                    ("order", index),
                )
        order += [axis for axis in range(len(shape)) if axis not in order]
        return [tuple(shape[axis] for axis in order)]


@register
class ShuffleChannel(BuiltLayer):
    types = ("ShuffleChannel",)
    rearranges = True
    keeps_channels = keeps_pixels = True
    block = "shuffle_channel_param"
    computes_by = ("group",)
    fork = True
    bottom_counts = ONE
    top_counts = ONE

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        return [like(bottoms[0])]


@register
class Reorg(BuiltLayer):
    """Moves pixels into channels (YOLO), or back with `reverse`."""

    types = ("Reorg",)
    rearranges = True
    block = "reorg_param"
    computes_by = ("stride", "reverse")
    fork = True
    bottom_counts = ONE
    top_counts = ONE

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        stride = as_int(self.parameters.stride)
        if len(shape) != 4 or stride <= 0:
            return [None]
        num, channels, height, width = shape
        if self.parameters.reverse:
            return [new_blob((num, channels // (stride * stride), height * stride, width * stride), "the top")]
        return [new_blob((num, channels * stride * stride, height // stride, width // stride), "the top")]


@register
class Upsample(BuiltLayer):
    """With a mask of a Pooling (SegNet), or by repeating pixels (YOLO)."""

    types = ("Upsample",)
    upsamples = keeps_channels = True
    block = "upsample_param"
    computes_by = ("scale", "upsample_h", "upsample_w")
    fork = True
    bottom_counts = ONE_OR_TWO
    top_counts = ONE

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        p = self.parameters
        has = p.HasField
        if len(shape) != 4 or has("scale_h") or has("scale_w") or not p.scale.is_integer():
            return [None]
        if len(bottoms) == 1:
            # Forks differ in the scale that they take where none is given.
            scale = int(p.scale) if has("scale") else None
            return [new_blob((*shape[:2], shape[2] * scale, shape[3] * scale), "the top") if scale else None]
        height = p.upsample_h if has("upsample_h") else shape[2] * int(p.scale) - int(p.pad_out_h)
        width = p.upsample_w if has("upsample_w") else shape[3] * int(p.scale) - int(p.pad_out_w)
        return [new_blob((*shape[:2], height, width), "the top")]


@register
class Interp(BuiltLayer):
    """Bilinear resizing (DeepLab): by factors, to a size, or to the size of a second bottom."""

    types = ("Interp",)
    upsamples = keeps_channels = True
    block = "interp_param"
    computes_by = ("zoom_factor", "shrink_factor", "pad_beg", "pad_end")
    fork = True
    bottom_counts = ONE_OR_TWO
    top_counts = ONE

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        if len(shape) != 4:
            return [None]
        if len(bottoms) == 2:
            return [(*shape[:2], *bottoms[1][2:])] if len(bottoms[1]) == 4 else [None]
        p = self.parameters
        if p.HasField("height") and p.HasField("width"):
            return [new_blob((*shape[:2], p.height, p.width), "the top")]
        sizes = [self._resized(size + p.pad_beg + p.pad_end) for size in shape[2:]]
        return [new_blob((*shape[:2], *sizes), "the top")]

    def _resized(self, size: int) -> int:
        p = self.parameters
        if p.HasField("shrink_factor") and p.shrink_factor > 0:
            size = (size - 1) // p.shrink_factor + 1
        if p.HasField("zoom_factor"):
            size += (size - 1) * (p.zoom_factor - 1)
        return as_int(size)
