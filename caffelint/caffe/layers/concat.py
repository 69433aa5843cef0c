"""Layers that put blobs together along an axis, and take them apart."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.caffe.layers.base import AT_LEAST_ONE, DIES, EXACT, ONE, BuiltLayer, Wanted, register
from caffelint.caffe.place import FieldPath
from caffelint.caffe.refusal import Kind
from caffelint.caffe.shapes import Shape, as_int, canonical_axis, count, new_blob, no_data, text
from caffelint.caffe.values import Values

CHANNEL_AXES = (1, -3)


def shared_axis(layer: BuiltLayer, shape: Shape, old: str, function: str) -> int:
    """Axis of a Concat or Slice: `axis`, or the older unsigned concat_dim or slice_dim."""
    p = layer.parameters
    if not p.HasField(old):
        return canonical_axis(shape, p.axis, (layer.block, "axis"))
    axis = as_int(getattr(p, old))
    if axis < 0:
        raise layer.refuse(
            Kind.NO_SUCH_AXIS,
            f"{old} {getattr(p, old)} is beyond any axis",
            f"casting {old} from uint32 to int32",
            function,
            old,
        )
    if axis >= len(shape):
        raise layer.refuse(
            Kind.NO_SUCH_AXIS,
            f"{old} {axis} does not exist: the bottom has {len(shape)} axes ({text(shape)})",
            f"{old} out of range.",
            function,
            old,
        )
    return axis


def check_one_axis(layer: BuiltLayer, old: str, function: str) -> None:
    if layer.parameters.HasField("axis") and layer.parameters.HasField(old):
        raise layer.refuse(
            Kind.CONFLICTING_FIELDS,
            f"axis and the older {old} are both set; keep axis",
            f"Either axis or {old} should be specified; not both.",
            function,
            old,
        )


def _fit(one: Shape, other: Shape, axis: int) -> bool:
    """Are they equal but for that axis?"""
    return len(one) == len(other) and one[:axis] == other[:axis] and one[axis + 1 :] == other[axis + 1 :]


@register
class Concat(BuiltLayer):
    types = ("Concat",)
    rearranges = compares_maps = True
    block = "concat_param"
    computes_by = ("axis", "concat_dim")
    bottom_counts = AT_LEAST_ONE
    top_counts = ONE

    @property
    def keeps_pixels(self) -> bool:  # type: ignore[override]
        p = self.parameters
        return (p.concat_dim if p.HasField("concat_dim") else p.axis) in CHANNEL_AXES

    @property
    def shares_memory(self) -> bool:  # type: ignore[override]
        return len(self.bottom_names) == 1

    @property
    def shares_gradient(self) -> bool:  # type: ignore[override]
        return self.shares_memory

    @property
    def in_place(self) -> str:  # type: ignore[override]
        return EXACT if len(self.bottoms) == 1 else DIES

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        first = bottoms[0]
        check_one_axis(self, "concat_dim", "concat_layer.cpp LayerSetUp")
        axis = self.axis = shared_axis(self, first, "concat_dim", "concat_layer.cpp Reshape")
        total = first[axis]
        for index in range(1, len(bottoms)):
            shape = bottoms[index]
            if len(shape) != len(first):
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    f"bottom {index} has {len(shape)} axes ({text(shape)}), bottom 0 {len(first)} ({text(first)})",
                    "All inputs must have the same #axes.",
                    "concat_layer.cpp Reshape",
                    ("bottom", index),
                )
            if not _fit(first, shape, axis):
                message = f"bottom {index} is {text(shape)} but bottom 0 is {text(first)}; only axis {axis} may differ"
                place: FieldPath = ("bottom", index)
                written = next((field for field in ("axis", "concat_dim") if self.parameters.HasField(field)), None)
                others = [one for one in range(1, len(first)) if all(_fit(first, bottom, one) for bottom in bottoms)]
                if written and len(others) == 1:
                    message += f"; they fit along axis {others[0]}, so set {written}: {others[0]}"
                    place = (self.block, written)
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    message,
                    "All inputs must have the same shape, except at concat_axis.",
                    "concat_layer.cpp Reshape",
                    place,
                )
            total += shape[axis]
        top = new_blob((*first[:axis], as_int(total), *first[axis + 1 :]), "the top")
        if len(bottoms) == 1 and 0 in top:
            raise no_data("the bottom", "concat_layer.cpp Reshape", ("bottom", 0))
        return [top]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        check_one_axis(self, "concat_dim", "concat_layer.cpp LayerSetUp")
        return [None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        found = bottoms[0]
        for values in bottoms[1:]:
            found = found.or_else(values)
        return [found]


@register
class Slice(BuiltLayer):
    types = ("Slice",)
    rearranges = True
    block = "slice_param"
    computes_by = ("axis", "slice_dim", "slice_point")
    bottom_counts = ONE
    top_counts = AT_LEAST_ONE

    @property
    def keeps_pixels(self) -> bool:  # type: ignore[override]
        p = self.parameters
        return (p.slice_dim if p.HasField("slice_dim") else p.axis) in CHANNEL_AXES

    @property
    def shares_memory(self) -> bool:  # type: ignore[override]
        return len(self.top_names) == 1

    @property
    def shares_gradient(self) -> bool:  # type: ignore[override]
        return self.shares_memory

    @property
    def in_place(self) -> str:  # type: ignore[override]
        return EXACT if len(self.tops) == 1 else DIES

    def shape_before(self, wanted: Wanted) -> Shape | None:
        """With slice_point, a top whose shape is known gives the other axes."""
        p = self.parameters
        axis = p.slice_dim if p.HasField("slice_dim") else p.axis
        tops = [wanted(top) for top in self.tops]
        whole = next((shape for shape in tops if shape is not None and axis < len(shape)), None)
        if whole is None or not p.slice_point or axis < 0:
            return None
        # As wide as the part before it, if nothing gives the width of the last part.
        cuts = [0, *p.slice_point]
        last = tops[-1]
        width = last[axis] if last is not None and axis < len(last) else cuts[-1] - cuts[-2]
        return (*whole[:axis], cuts[-1] + width, *whole[axis + 1 :])

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        function = "slice_layer.cpp Reshape"
        check_one_axis(self, "slice_dim", "slice_layer.cpp LayerSetUp")
        axis = self.axis = shared_axis(self, shape, "slice_dim", function)
        size = shape[axis]
        tops = len(self.tops)
        points = [as_int(point) for point in self.parameters.slice_point]
        sizes = self._sizes_between(points, size, tops, shape, axis) if points else self._equal_sizes(size, tops, axis)
        rest = shape[axis + 1 :]
        shapes = [new_blob((*shape[:axis], part, *rest), self.top_title(i)) for i, part in enumerate(sizes)]
        if self.runs_in_place and tops > 1:
            raise self.refuse(
                Kind.IN_PLACE,
                "a Slice with several tops cannot overwrite its bottom; give its top another name",
                "Check failed: count == bottom[0]->count()",
                function,
                ("top", 0),
            )
        if tops == 1 and count(shape) == 0:
            raise no_data("the bottom", function, ("bottom", 0))
        return shapes

    def _equal_sizes(self, size: int, tops: int, axis: int) -> list[int]:
        if size % tops:
            raise self.refuse(
                Kind.NOT_DIVISIBLE,
                f"{size} entries of axis {axis} cannot be split evenly into {tops} tops; set slice_point",
                f"Number of top blobs ({tops}) should evenly divide input slice axis ({size})",
                "slice_layer.cpp Reshape",
                ("top", tops - 1),
            )
        return [size // tops] * tops

    def _sizes_between(self, points: list[int], size: int, tops: int, shape: Shape, axis: int) -> list[int]:
        function = "slice_layer.cpp Reshape"
        if len(points) != tops - 1:
            raise self.refuse(
                Kind.FIELD_COUNT,
                f"{tops} tops need {tops - 1} slice_point; {len(points)} are set",
                "Check failed: slice_point_.size() == top.size() - 1",
                function,
                "slice_point",
            )
        if tops > size:
            raise self.refuse(
                Kind.WINDOW_TOO_LARGE,
                f"{tops} tops, but axis {axis} has only {size} entries ({text(shape)})",
                "Check failed: top.size() <= bottom_slice_axis",
                function,
                "slice_point",
            )
        sizes = []
        before = 0
        for index, point in enumerate(points):
            if point <= before:
                raise self.refuse(
                    Kind.VALUE_OUT_OF_RANGE,
                    f"slice_point {point} must be larger than the one before it, {before}",
                    "Check failed: slice_point_[i] > prev",
                    function,
                    ("slice_point", index),
                )
            sizes.append(point - before)
            before = point
        if before > size:
            raise self.refuse(
                Kind.WINDOW_TOO_LARGE,
                f"slice_point {before} is larger than the {size} entries of axis {axis}",
                "Check failed: shape[i] >= 0",
                "blob.cpp Reshape",
                ("slice_point", len(points) - 1),
            )
        return [*sizes, size - before]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        check_one_axis(self, "slice_dim", "slice_layer.cpp LayerSetUp")
        return [None] * len(self.tops)

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0].part()] * len(self.tops)
