"""Layers that combine or boil down values: Eltwise, Reduction, ArgMax, Softmax."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from caffelint.caffe.layers.base import CORRUPTS, EXACT, ONE, PARAMS, THREE, BuiltLayer, Counts, Wanted, register
from caffelint.caffe.place import FieldPath
from caffelint.caffe.refusal import Kind
from caffelint.caffe.shapes import Shape, as_int, canonical_axis, count, like, new_blob, no_data, text
from caffelint.caffe.values import UNKNOWN, Values

PROD, SUM, MAX = 0, 1, 2
ASUM, SUMSQ, MEAN = 2, 3, 4


@register
class Eltwise(BuiltLayer):
    types = ("Eltwise",)
    computes_by = ("operation", "coeff")
    nickname = "elt"
    keeps_channels = keeps_pixels = compares_maps = True
    block = "eltwise_param"
    bottom_counts = Counts(2)
    top_counts = ONE
    in_place = CORRUPTS
    refuses_early = True

    @property
    def reads_bottom(self) -> bool:  # type: ignore[override]
        return bool(self.parameters.operation == PROD)

    @property
    def reads_top(self) -> bool:  # type: ignore[override]
        return self.reads_bottom and not self.parameters.stable_prod_grad

    def shape_before(self, wanted: Wanted) -> Shape | None:
        known = [bottom.shape for bottom in self.bottoms if bottom.shape is not None]
        return known[0] if known else wanted(self.tops[0])

    def check(self) -> None:
        p = self.parameters
        coefficients = len(p.coeff)
        if not coefficients:
            return
        function = "eltwise_layer.cpp LayerSetUp"
        if coefficients != len(self.bottoms):
            raise self.refuse(
                Kind.FIELD_COUNT,
                f"{len(self.bottoms)} bottoms need {len(self.bottoms)} coeff; {coefficients} are set",
                "Eltwise Layer takes one coefficient per bottom blob.",
                function,
                "coeff",
            )
        if p.operation == PROD:
            raise self.refuse(
                Kind.FIELD_NOT_TAKEN,
                "coeff is set, but operation: PROD does not take it; remove it",
                "Eltwise layer only takes coefficients for summation.",
                function,
                "coeff",
            )

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        self.check()
        first = bottoms[0]
        for index in range(1, len(bottoms)):
            if bottoms[index] != first:
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    f"bottom {index} is {text(bottoms[index])} but bottom 0 is {text(first)}; shapes must match",
                    "Check failed: bottom[0]->shape() == bottom[i]->shape()",
                    "eltwise_layer.cpp Reshape",
                    ("bottom", index),
                )
        return [like(first)]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check()
        known = [(index, shape) for index, shape in enumerate(bottoms) if shape is not None]
        for index, shape in known[1:]:
            if shape != known[0][1]:
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    f"bottom {index} is {text(shape)} but bottom {known[0][0]} is {text(known[0][1])}; they must match",
                    "Check failed: bottom[0]->shape() == bottom[i]->shape()",
                    "eltwise_layer.cpp Reshape",
                    ("bottom", index),
                )
        return [known[0][1] if known else None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        operation = p.operation
        coefficients = list(p.coeff) or [1.0] * len(bottoms)
        found = bottoms[0].shifted(coefficients[0], 0) if operation == SUM else bottoms[0]
        for values, coefficient in zip(bottoms[1:], coefficients[1:], strict=False):
            if operation == PROD:
                found = found.times(values)
            elif operation == SUM:
                found = found.plus(values.shifted(coefficient, 0))
            else:
                low, high = max(found.low, values.low), max(found.high, values.high)
                found = Values(low, high, found.zeros and values.zeros, found.signed and values.signed)
        return [found]


@register
class Reduction(BuiltLayer):
    types = ("Reduction",)
    block = "reduction_param"
    bottom_counts = ONE
    top_counts = ONE

    @property
    def reads_bottom(self) -> bool:  # type: ignore[override]
        # SUM and MEAN (1 and 4) hand the gradient on as it is; ASUM and SUMSQ need the values.
        return self.parameters.operation not in (1, 4)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        p = self.parameters
        axis = canonical_axis(shape, p.axis, (self.block, "axis"))
        # In place the bottom has its new shape before Caffe counts what is to be summed: an empty product, 1.
        if p.operation in (1, 4) and count(shape, axis) == 0 and not self.runs_in_place:
            raise no_data("what is to be summed", "reduction_layer.cpp Reshape", ("bottom", 0))
        return [new_blob(shape[:axis], "the top")]

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        return [() if self.parameters.axis == 0 else None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        low, high, _, _ = bottoms[0]
        if p.operation in (ASUM, SUMSQ):
            reduced = Values(0, inf)
        elif p.operation == MEAN:
            reduced = Values(low, high)
        else:
            reduced = Values(0 if low >= 0 else -inf, 0 if high <= 0 else inf)
        return [reduced.shifted(p.coeff, 0).part()]


@register
class ArgMax(BuiltLayer):
    types = ("ArgMax",)
    block = "argmax_param"
    bottom_counts = ONE
    top_counts = ONE
    has_backward = False

    def check(self) -> None:
        if self.parameters.top_k < 1:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                "top_k is 0; it must be at least 1",
                "top k must not be less than 1.",
                "argmax_layer.cpp LayerSetUp",
                "top_k",
            )

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        p = self.parameters
        self.check()
        top_k = p.top_k
        if p.HasField("axis"):
            axis = canonical_axis(shape, p.axis, (self.block, "axis"))
            self._check_top_k(shape[axis], "top_k must be less than or equal to the dimension of the axis.")
            return [new_blob((*shape[:axis], as_int(top_k), *shape[axis + 1 :]), "the top")]
        self._check_top_k(
            count(shape, 1),
            "top_k must be less than or equal to the dimension of the flattened bottom blob per instance.",
        )
        top = [1] * max(3, len(shape))
        top[0] = shape[canonical_axis(shape, 0, ("bottom", 0))]
        top[2] = as_int(top_k)
        if p.out_max_val:
            top[1] = 2
        return [new_blob(top, "the top")]

    def _check_top_k(self, size: int, phrase: str) -> None:
        if self.parameters.top_k > size:
            raise self.refuse(
                Kind.TOP_K_TOO_LARGE,
                f"top_k {self.parameters.top_k} is larger than the {size} values to choose from",
                phrase,
                "argmax_layer.cpp LayerSetUp",
                "top_k",
            )

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check()
        return [None]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [UNKNOWN if self.parameters.out_max_val else Values(0, inf)]


def check_softmax_axis(shape: Shape, axis: int, field: FieldPath) -> int:
    """Reshape of softmax_layer.cpp, alone or inside a loss."""
    axis = canonical_axis(shape, axis, field)
    if shape[axis] == 0:
        raise no_data(f"axis {axis} of the bottom", "softmax_layer.cpp Reshape", field)
    return axis


@register
class Softmax(BuiltLayer):
    fork_fields_change = PARAMS
    types = ("Softmax",)
    keeps_channels = keeps_pixels = True
    block = "softmax_param"
    computes_by = ("axis",)
    bottom_counts = ONE
    top_counts = ONE
    has_engine = True
    reads_top = True
    in_place = EXACT

    @property
    def class_axis(self) -> int:
        return int(self.parameters.axis)

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        check_softmax_axis(shape, self.parameters.axis, (self.block, "axis"))
        return [like(shape)]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [Values(0, 1)]


@register
class Axpy(BuiltLayer):
    """a * x + y, with one `a` for each channel: the gate of squeeze-and-excitation nets."""

    types = ("Axpy",)
    keeps_channels = True
    fork = True
    bottom_counts = THREE
    top_counts = ONE
    reads_bottom = True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        gate, x, y = bottoms
        if gate[:2] != x[:2]:
            raise self.refuse(
                Kind.SHAPES_DIFFER,
                f"bottom 0 ({text(gate)}) must have one value for each channel of bottom 1 ({text(x)})",
                "Check failed: bottom[0]->shape(0) == bottom[1]->shape(0)",
                "axpy_layer.cpp Reshape",
                ("bottom", 0),
            )
        if x != y:
            raise self.refuse(
                Kind.SHAPES_DIFFER,
                f"bottom 1 is {text(x)} but bottom 2 is {text(y)}; shapes must match",
                "Check failed: bottom[1]->shape() == bottom[2]->shape()",
                "axpy_layer.cpp Reshape",
                ("bottom", 2),
            )
        return [like(x)]
