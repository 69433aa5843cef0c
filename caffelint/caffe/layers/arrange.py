"""Layers that move values about and leave them as they are."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.caffe.layers.base import (
    AT_LEAST_ONE,
    CORRUPTS,
    DIES,
    NONE,
    ONE,
    REFUSED,
    TWO,
    BuiltLayer,
    Counts,
    Wanted,
    register,
)
from caffelint.caffe.layers.concat import CHANNEL_AXES
from caffelint.caffe.layers.expected import Expected
from caffelint.caffe.layers.neuron import no_in_place
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import UNSHAPED, Shape, as_int, canonical_axis, count, divide, like, new_blob, no_data, text
from caffelint.caffe.values import Values


@register
class Split(BuiltLayer):
    """Also what Caffe inserts by itself where a blob has several readers (insert_splits.cpp)."""

    types = ("Split",)
    rearranges = True
    hands_on = keeps_channels = keeps_pixels = shares_memory = True
    bottom_counts = ONE
    top_counts = AT_LEAST_ONE
    in_place = REFUSED
    refuses_early = True

    def shape_before(self, wanted: Wanted) -> Shape | None:
        return next((shape for top in self.tops if (shape := wanted(top)) is not None), None)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self._check_in_place()
        if bottoms[0] is UNSHAPED:
            raise Refusal(
                Kind.WRONG_SHAPE,
                "the bottom has no shape",
                "Check failed: count_ == top[i]->count()",
                "split_layer.cpp Reshape",
            )
        return [like(bottoms[0])] * len(self.tops)

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self._check_in_place()
        return [None] * len(self.tops)

    def _check_in_place(self) -> None:
        # Caffe looks at every top, yet only a top that has the place of its bottom can be the same blob.
        if self.runs_in_place:
            raise no_in_place(self, "split_layer.cpp Reshape")

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0]] * len(self.tops)


@register
class Flatten(BuiltLayer):
    types = ("Flatten",)
    rearranges = True
    hands_on = shares_memory = replaces_gradient = True
    block = "flatten_param"
    bottom_counts = ONE
    top_counts = ONE
    in_place = REFUSED

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        if self.runs_in_place:
            raise no_in_place(self, "flatten_layer.cpp Reshape")
        p = self.parameters
        start = canonical_axis(shape, p.axis, (self.block, "axis"))
        end = canonical_axis(shape, p.end_axis, (self.block, "end_axis"))
        if start > end + 1:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                f"axis {start} comes after end_axis {end}",
                "Check failed: start_axis <= end_axis",
                "blob.hpp count",
                "end_axis",
            )
        return [new_blob((*shape[:start], count(shape, start, end + 1), *shape[end + 1 :]), "the top")]

    def shape_before(self, wanted: Wanted) -> Shape | None:
        shape = wanted(self.tops[0])
        return shape if shape is not None and len(shape) == 2 else None  # a flat blob stays as it is

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        if self.runs_in_place:
            raise no_in_place(self, "flatten_layer.cpp Reshape")
        return [None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0]] * len(self.tops)


@register
class Reshape(BuiltLayer):
    types = ("Reshape",)
    rearranges = True
    hands_on = shares_memory = shares_gradient = True
    block = "reshape_param"
    bottom_counts = ONE
    top_counts = ONE
    in_place = REFUSED
    source = "reshape_layer.cpp"

    def check(self) -> list[int]:
        """The wanted dims; raises the Refusal of LayerSetUp."""
        if self.runs_in_place:
            raise no_in_place(self, f"{self.source} LayerSetUp")
        dims = [as_int(dim) for dim in self.parameters.shape.dim]
        if dims.count(-1) > 1:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                f"the shape has {dims.count(-1)} dims of -1; Caffe can infer only one",
                "new shape contains multiple -1 dims",
                f"{self.source} LayerSetUp",
                ("shape", "dim"),
            )
        return dims

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        dims = self.check()
        start, end = self._replaced_axes(shape)
        top = [*shape[:start], *dims, *shape[end:]]
        function = f"{self.source} Reshape"
        for index, dim in enumerate(dims):
            if dim == 0:
                if start + index >= len(shape):
                    raise self.refuse(
                        Kind.NO_SUCH_AXIS,
                        f"dim: 0 copies axis {start + index}, but the bottom has {len(shape)} axes ({text(shape)})",
                        "new shape contains a 0, but there was no corresponding bottom axis to copy",
                        function,
                        ("shape", "dim", index),
                    )
                top[start + index] = shape[start + index]
        if -1 in dims:
            explicit = count(shape, 0, start) * count(shape, end)
            for index, dim in enumerate(dims):
                explicit *= top[start + index] if dim == 0 else 1 if dim == -1 else dim
            explicit = as_int(explicit)
            inferred = divide(count(shape), explicit, "the product of the other dims", (self.block, "shape", "dim"))
            if inferred * explicit != count(shape):
                raise self.refuse(
                    Kind.NOT_DIVISIBLE,
                    f"the bottom has {count(shape)} elements ({text(shape)}), not divisible by {explicit}, the"
                    " product of the other dims",
                    f"must be divisible by the product of the specified dimensions ({explicit})",
                    function,
                    "shape",
                )
            top[start + dims.index(-1)] = inferred
        new = new_blob(top, "the top", (self.block, "shape"))
        if count(new) != count(shape):
            raise self.refuse(
                Kind.ELEMENT_COUNT,
                f"{text(new)} has {count(new)} elements but the bottom ({text(shape)}) has {count(shape)}",
                "output count must match input count",
                function,
                "shape" if dims else None,
            )
        if count(new) == 0:
            raise no_data("the bottom", function, ("bottom", 0))
        return [new]

    def _replaced_axes(self, shape: Shape) -> tuple[int, int]:
        """First axis that the new dims replace, and the first after them that is kept."""
        p = self.parameters
        function = f"{self.source} Reshape"
        axis, num_axes, axes = p.axis, p.num_axes, len(shape)
        start = axis if axis >= 0 else axes + axis + 1
        if not 0 <= start <= axes:
            raise self.refuse(
                Kind.NO_SUCH_AXIS,
                f"axis {axis} does not exist: the bottom has {axes} axes ({text(shape)})",
                f"axis {axis} out of range" + (f" for {axes}-D input blob" if start > axes else ""),
                function,
                "axis",
            )
        if num_axes < -1:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                f"num_axes is {num_axes}; it must be 0 or more, or -1 for all",
                "num_axes must be >= 0, or -1 for all",
                function,
                "num_axes",
            )
        end = axes if num_axes == -1 else start + num_axes
        if end > axes:
            raise self.refuse(
                Kind.NO_SUCH_AXIS,
                f"axis {start} and num_axes {num_axes} go past the {axes} axes of the bottom ({text(shape)})",
                "end_axis = axis + num_axes is out of range",
                function,
                "num_axes",
            )
        return start, end

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        dims = self.check()
        whole = self.parameters.axis == 0 and self.parameters.num_axes == -1
        if whole and dims and all(dim > 0 for dim in dims):
            return [new_blob(dims, "the top", (self.block, "shape"))]
        return [None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0]] * len(self.tops)


@register
class Tile(BuiltLayer):
    types = ("Tile",)
    rearranges = True
    block = "tile_param"
    bottom_counts = ONE
    top_counts = ONE
    in_place = DIES

    @property
    def keeps_channels(self) -> bool:  # type: ignore[override]
        return self.parameters.axis not in CHANNEL_AXES

    @property
    def keeps_pixels(self) -> bool:  # type: ignore[override]
        return self.parameters.axis in (0, *CHANNEL_AXES)

    def check(self) -> None:
        p = self.parameters
        if not p.HasField("tiles"):
            raise self.refuse(
                Kind.MISSING_FIELD,
                "tiles is missing; set it",
                "Number of tiles must be specified",
                "tile_layer.cpp Reshape",
            )
        if p.tiles <= 0:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                f"tiles is {p.tiles}; it must be larger than 0",
                "Number of tiles must be positive.",
                "tile_layer.cpp Reshape",
                "tiles",
            )

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        axis = canonical_axis(shape, self.parameters.axis, (self.block, "axis"))
        self.check()
        return [new_blob((*shape[:axis], as_int(shape[axis] * self.parameters.tiles), *shape[axis + 1 :]), "the top")]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check()
        return [None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0]] * len(self.tops)


@register
class Crop(BuiltLayer):
    types = ("Crop",)
    rearranges = compares_maps = True
    block = "crop_param"
    computes_by = ("axis", "offset")
    bottom_counts = TWO
    top_counts = ONE
    in_place = CORRUPTS

    @property
    def keeps_channels(self) -> bool:  # type: ignore[override]
        return self.parameters.axis in (2, 3, -1, -2)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape, reference = bottoms
        p = self.parameters
        axis = canonical_axis(shape, p.axis, (self.block, "axis"))
        offsets = [as_int(offset) for offset in p.offset]
        if len(offsets) > 1 and axis + len(offsets) != len(shape):
            raise self.refuse(
                Kind.FIELD_COUNT,
                f"offset is set {len(offsets)} times; set it once, or for each of the {len(shape) - axis} cropped axes",
                "number of offset values specified must be equal to the number of dimensions following axis.",
                "crop_layer.cpp LayerSetUp",
                "offset",
            )
        for i in range(axis, len(shape)):
            wanted = reference[canonical_axis(reference, i, ("bottom", 1))]
            offset = 0 if not offsets else offsets[0] if len(offsets) == 1 else offsets[i - axis]
            if as_int(shape[i] - offset) < wanted:
                raise self.refuse(
                    Kind.WINDOW_TOO_LARGE,
                    f"axis {i} has {shape[i]} entries, too few for a crop of {wanted} from offset {offset}",
                    f"the crop for dimension {i} is out-of-bounds with size {wanted} and offset {offset}",
                    "crop_layer.cpp Reshape",
                    "offset" if offset else ("bottom", 1),
                )
        return [new_blob((*shape[:axis], *reference[axis : len(shape)]), "the top")]

    def allows_force_backward(self, bottom: int) -> bool:
        return True

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0]] * len(self.tops)


@register
class Silence(BuiltLayer):
    types = ("Silence",)
    rearranges = True
    bottom_counts = AT_LEAST_ONE
    top_counts = NONE

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        return []

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        return []


@register
class BatchReindex(BuiltLayer):
    types = ("BatchReindex",)
    bottom_counts = TWO
    top_counts = ONE
    keeps_channels = keeps_pixels = True

    def passes_gradient(self, bottom: int) -> bool:
        return bottom == 0

    def expects(self, bottom: int) -> Expected | None:
        return Expected(0, 0) if bottom == 1 else None

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape, index = bottoms
        if len(index) != 1:
            raise self.refuse(
                Kind.WRONG_AXES,
                f"bottom 1 has {len(index)} axes ({text(index)}); it must have 1",
                "Check failed: 1 == bottom[1]->num_axes()",
                "batch_reindex_layer.cpp Reshape",
                ("bottom", 1),
            )
        return [new_blob((index[0], *shape[1:]), "the top")]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0]] * len(self.tops)


@register
class Filter(BuiltLayer):
    """At set-up the tops are as long as the bottoms; each pass then shortens them to what was selected."""

    types = ("Filter",)
    bottom_counts = Counts(2)
    top_counts = AT_LEAST_ONE
    keeps_channels = keeps_pixels = True

    def passes_gradient(self, bottom: int) -> bool:
        return bottom < len(self.bottom_names) - 1

    def expects(self, bottom: int) -> Expected | None:
        return Expected(0, 1) if bottom == len(self.bottom_names) - 1 else None

    def check(self) -> None:
        if len(self.tops) != len(self.bottoms) - 1:
            raise self.refuse(
                Kind.TOP_COUNT,
                f"{len(self.bottoms)} bottoms, of which the last is the selector, need {len(self.bottoms) - 1} tops;"
                f" {len(self.tops)} are given",
                "Check failed: top.size() == bottom.size() - 1",
                "filter_layer.cpp LayerSetUp",
                ("top", len(self.tops) - 1),
            )

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.check()
        function = "filter_layer.cpp Reshape"
        selector = bottoms[-1]
        last = ("bottom", len(bottoms) - 1)
        if any(dim != 1 for dim in selector[1:]):
            raise self.refuse(
                Kind.WRONG_SHAPE,
                f"the selector is {text(selector)}; it must have one value per item",
                "Selector blob dimensions must be singletons (1), except the first",
                function,
                last,
            )
        for index, shape in enumerate(bottoms[:-1]):
            if selector[canonical_axis(selector, 0, last)] != shape[canonical_axis(shape, 0, ("bottom", index))]:
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    f"bottom {index} has {shape[0]} items but the selector has {selector[0]}",
                    "Each bottom should have the same 0th dimension as the selector blob",
                    function,
                    ("bottom", index),
                )
        if count(selector) == 0:
            raise no_data("the selector", function, last)
        return [new_blob((bottoms[0][0], *shape[1:])) for shape in bottoms[:-1]]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check()
        return list(bottoms[:-1])

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return list(bottoms[:-1])


@register
class Squeeze(BuiltLayer):
    """Leaves out axes of size 1: those that are named, or all of them."""

    types = ("Squeeze",)
    rearranges = True
    hands_on = True
    shares_memory = None
    block = "squeeze_param"
    fork = True
    bottom_counts = ONE
    top_counts = ONE

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        axes = {axis % len(shape) for axis in self.parameters.axis} if shape else set()
        gone = axes or {axis for axis, dim in enumerate(shape) if dim == 1}
        if any(shape[axis] != 1 for axis in gone):
            return [None]
        return [tuple(dim for axis, dim in enumerate(shape) if axis not in gone)]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0]]
