"""Scale and Bias: a factor or summand for every channel, learned or taken from a second bottom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caffelint.caffe.layers.base import EXACT, ONE, ONE_OR_TWO, PARAMS, BuiltLayer, register
from caffelint.caffe.place import FieldPath
from caffelint.caffe.refusal import Kind
from caffelint.caffe.shapes import Shape, canonical_axis, count, like, no_data, text
from caffelint.caffe.values import UNKNOWN, Values, exactly, filled


class Broadcast(BuiltLayer):
    """What Scale and Bias share: a small blob laid along some axes of the first bottom."""

    repeats = True
    fork_fields_change = PARAMS
    bottom_counts = ONE_OR_TWO
    top_counts = ONE
    in_place = EXACT
    is_linear = keeps_channels = keeps_pixels = True

    @property
    def has_parameters(self) -> bool:
        """Not where a second bottom holds what it adds or multiplies by."""
        return len(self.bottom_names) < 2

    @property
    def param_count(self) -> int:
        return int(self.has_parameters)

    def learned_shape(self, what: str, shape: Shape, axis: int, num_axes: int, blame: FieldPath | str | None) -> Shape:
        """Shape of the learned blob (LayerSetUp of scale_layer.cpp and bias_layer.cpp)."""
        source = f"{what}_layer.cpp LayerSetUp"
        start = canonical_axis(shape, axis, (self.block, "axis"))
        if num_axes < -1:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                f"num_axes is {num_axes}; it must be 0 or more, or -1 for all to the end",
                "num_axes must be non-negative, or -1 to extend",
                source,
                "num_axes",
            )
        if num_axes == -1:
            return shape[start:]
        if start + num_axes > len(shape):
            raise self.refuse(
                Kind.NO_SUCH_AXIS,
                f"axis {start} and num_axes {num_axes} go past the {len(shape)} axes of the bottom ({text(shape)})",
                f"{what} blob's shape extends past bottom[0]'s shape when applied",
                source,
                blame,
            )
        return shape[start : start + num_axes]

    def check_fit(self, what: str, shape: Shape, small: Shape, axis: int) -> int:
        """The axis at which `small` is laid on `shape`; raises Refusal where it does not fit (Reshape)."""
        source = f"{what}_layer.cpp Reshape"
        start = canonical_axis(shape, axis, (self.block, "axis")) if small else 0
        if start + len(small) > len(shape):
            raise self.refuse(
                Kind.SHAPES_DIFFER,
                f"bottom 1 ({text(small)}) goes past bottom 0 ({text(shape)}) from axis {start} on",
                f"{what} blob's shape extends past bottom[0]'s shape when applied",
                source,
                ("bottom", 1),
            )
        for index, dim in enumerate(small):
            if shape[start + index] != dim:
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    f"bottom 1 ({text(small)}) does not match bottom 0 ({text(shape)}) from axis {start} on",
                    f"dimension mismatch between bottom[0]->shape({start + index}) and {what}->shape({index})",
                    source,
                    ("bottom", 1),
                )
        return start

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.param_shapes = None
        return [None]


@register
class Bias(Broadcast):
    types = ("Bias",)
    block = "bias_param"
    fillers = ("filler",)
    adds = "filler"

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        p = self.parameters
        if len(bottoms) == 1:
            small = self.learned_shape("bias", shape, p.axis, p.num_axes, "num_axes")
            self.fill(p.filler, small, (self.block, "filler"))
            self.param_shapes = [small]
        else:
            small = bottoms[1]
        check_bias_fit(self, shape, small, p.axis)
        return [like(shape)]

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [bottoms[0].plus(bottoms[1]) if len(bottoms) == 2 else kept_signs(bottoms[0], self.parameters.filler)]


def check_bias_fit(layer: Broadcast, shape: Shape, small: Shape, axis: int) -> None:
    """Reshape of bias_layer.cpp."""
    start = layer.check_fit("bias", shape, small, axis)
    if count(shape, start + len(small)) == 0:
        raise no_data("the bottom", "bias_layer.cpp Reshape", ("bottom", 0))


def kept_signs(values: Values, bias_filler: Any) -> Values:
    """Values with a learned factor or summand: of both signs where they were, as long as the summand starts at 0."""
    if bias_filler is not None and filled(bias_filler) != exactly(0):
        return UNKNOWN
    return Values(signed=values.signed)


@register
class Scale(Broadcast):
    types = ("Scale",)
    block = "scale_param"
    computes_by = ("axis", "bias_term")
    fillers = ("filler", "bias_filler")
    reads_bottom = True

    @property
    def param_count(self) -> int:
        return super().param_count + bool(self.parameters.bias_term)

    @property
    def keeps_sign(self) -> bool:  # type: ignore[override]
        return not self.parameters.bias_term

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        p = self.parameters
        axis = p.axis
        learned = len(bottoms) == 1
        params = self.param_shapes = []
        if learned:
            small = self.learned_shape("scale", shape, axis, p.num_axes, "num_axes")
            if p.HasField("filler"):
                self.fill(p.filler, small, (self.block, "filler"))
            elif 0 in small:
                raise no_data("the scale", "filler.hpp", ("bottom", 0))
            params.append(small)
        else:
            small = bottoms[1]
        if p.bias_term:
            self._add_bias(p, shape, axis, p.num_axes if learned else len(small), params)
        start = self.check_fit("scale", shape, small, axis)
        if 0 in shape and max(count(shape, 0, start), count(shape, start + len(small))) == 0:
            raise no_data("the bottom", "scale_layer.cpp Reshape", ("bottom", 0))
        return [like(shape)]

    def _add_bias(self, p: Any, shape: Shape, axis: int, num_axes: int, params: list[Shape]) -> None:
        """The Bias layer inside, on the first bottom alone."""
        small = self.learned_shape("bias", shape, axis, num_axes, ("bottom", 1) if not params else "num_axes")
        self.fill(p.bias_filler, small, (self.block, "bias_filler"))
        check_bias_fit(self, shape, small, axis)
        params.append(small)

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        if len(bottoms) == 2 and not p.bias_term:
            return [bottoms[0].times(bottoms[1])]
        if len(bottoms) == 2:
            return [UNKNOWN]
        return [kept_signs(bottoms[0], p.bias_filler if p.bias_term else None)]
