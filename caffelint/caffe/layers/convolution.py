"""Convolution and what shares its parameters: Deconvolution, Im2col."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any, ClassVar

from caffelint.caffe.layers.base import AT_LEAST_ONE, DIES, ONE, BuiltLayer, register
from caffelint.caffe.refusal import Kind
from caffelint.caffe.shapes import Shape, as_int, canonical_axis, count, divide, new_blob, no_data, text
from caffelint.caffe.values import Values, weighted
from caffelint.caffe.windows import DILATION, KERNEL, PAD, STRIDE, Window, has_sides, side_field, sides, windows


class Windowed(BuiltLayer):
    """Kernel, stride, pad and dilation, one of each per spatial axis; axes after `axis` are spatial.

    After set_up: channel_axis, kernel, stride, pad, dilation, as lists of ints.
    """

    block = "convolution_param"
    least_spatial_axes = 0
    source = "base_conv_layer.cpp"

    def check(self) -> None:
        """Raise the refusals that need no bottom; run where the shape of the bottom is unknown."""
        p = self.parameters
        if not p.kernel_size and not p.HasField("kernel_h") and not p.HasField("kernel_w"):
            raise self.refuse(
                Kind.MISSING_FIELD,
                "kernel_size is missing; set it",
                "kernel_size must be specified once, or once per spatial dimension",
                f"{self.source} LayerSetUp",
                missing="kernel_size",
            )

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.check()
        self.param_shapes = None
        return [None] * len(self.tops)

    @cached_property
    def _windows(self) -> tuple[Window, Window] | None:
        return windows(self.parameters)

    def written_windows(self) -> tuple[Window, Window] | None:
        return self._windows

    def read_windows(self, shape: Shape) -> None:
        """Kernel, stride, pad and dilation for a bottom of this shape, or the Refusal that they meet."""
        p = self.parameters
        self.channel_axis = canonical_axis(shape, p.axis, (self.block, "axis"))
        axes = len(shape) - self.channel_axis - 1
        if axes < self.least_spatial_axes:
            raise self.refuse(
                Kind.WRONG_AXES,
                f"the bottom ({text(shape)}) has no axis after axis {self.channel_axis}",
                "Check failed: num_spatial_axes_ >= 1",
                f"{self.source} LayerSetUp",
                "axis",
            )
        self.kernel = self._sizes(p, KERNEL, axes)
        if min(self.kernel, default=1) <= 0:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                f"the kernel is {text(self.kernel)}; every side must be larger than 0",
                "Filter dimensions must be nonzero.",
                f"{self.source} LayerSetUp",
                "kernel_size" if p.kernel_size else "kernel_w" if p.kernel_h else "kernel_h",
            )
        self.stride = self._sizes(p, STRIDE, axes)
        self.pad = self._sizes(p, PAD, axes)
        self.dilation = self._sizes(p, DILATION, axes)

    def _sizes(self, p: Any, name: str, axes: int) -> list[int]:
        """One value for each spatial axis, or the Refusal that they meet."""
        given = len(getattr(p, name))
        sizes = [as_int(value) for value in sides(p, name, axes)]
        if has_sides(p, name):
            tall, wide = side_field(name, 0), side_field(name, 1)
            if axes != 2:
                raise self.refuse(
                    Kind.WRONG_AXES,
                    f"{tall} and {wide} are for 2 spatial axes but the bottom has {axes}",
                    f"{tall} & {wide} can only be used for 2D convolution.",
                    f"{self.source} LayerSetUp",
                    tall,
                )
            if given:
                raise self.refuse(
                    Kind.CONFLICTING_FIELDS,
                    f"{name} is set along with {tall} and {wide}; keep one of the two",
                    f"Either {name} or {tall}/w should be specified; not both.",
                    f"{self.source} LayerSetUp",
                    name,
                )
            return sizes
        if given not in (0, 1, axes) or (name == KERNEL and given == 0 < axes):
            raise self.refuse(
                Kind.FIELD_COUNT if given else Kind.MISSING_FIELD,
                f"{name} is missing" if given == 0 else f"{name} is set {given} times; set it once or {axes} times",
                f"{name} must be specified once, or once per spatial dimension",
                f"{self.source} LayerSetUp",
                name if given else None,
            )
        if name == STRIDE and min(sizes, default=1) <= 0:
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE,
                "stride must be larger than 0",
                "Stride dimensions must be nonzero.",
                f"{self.source} LayerSetUp",
                name,
            )
        return sizes

    def window_positions(self, shape: Shape) -> list[int]:
        """Convolved size of each spatial axis (compute_output_shape of conv_layer.cpp)."""
        sizes = []
        for axis, size in enumerate(shape[self.channel_axis + 1 :]):
            stride = self.stride[axis]
            room = as_int(size + 2 * self.pad[axis] - self.dilation[axis] * (self.kernel[axis] - 1) - 1)
            if room >= 0 and stride > 0:
                sizes.append(room // stride + 1)
            else:
                two = self.parameters.HasField("stride_h") or self.parameters.HasField("stride_w")
                side = ("stride_h", "stride_w")[axis] if two else "stride"
                sizes.append(divide(room, stride, side, (self.block, side)) + 1)
        if min(sizes, default=0) >= 0:
            return sizes
        for axis, size in enumerate(sizes):
            if size < 0:
                extent = self.dilation[axis] * (self.kernel[axis] - 1) + 1
                padded = shape[self.channel_axis + 1 + axis] + 2 * self.pad[axis]
                raise self.refuse(
                    Kind.WINDOW_TOO_LARGE,
                    f"the kernel covers {extent} pixels of axis {self.channel_axis + 1 + axis}, which has {padded} with"
                    " its padding",
                    "Check failed: shape[i] >= 0",
                    "blob.cpp Reshape",
                    "kernel_size" if self.parameters.kernel_size else ("kernel_h", "kernel_w")[axis],
                )
        return sizes


class Weighted(Windowed):
    """base_conv_layer.cpp: a windowed layer with weights and bias, one top for each bottom."""

    repeats = True
    bottom_counts = AT_LEAST_ONE
    top_counts = AT_LEAST_ONE
    equal_counts = True
    has_engine = True
    has_weights = is_linear = True
    fillers = ("weight_filler", "bias_filler")
    computes_by: ClassVar[tuple[str, ...]] = ("num_output", "bias_term", "group", "dilation")
    shaped_by: ClassVar[tuple[str, ...]] = ("num_output", "kernel", "bias_term", "group")
    reads_bottom = True

    def weight_shape(self, channels: int, outputs: int, group: int) -> list[int]:
        raise NotImplementedError

    def top_sizes(self, shape: Shape) -> list[int]:
        raise NotImplementedError

    def groups(self) -> int:
        return as_int(self.parameters.group)

    def outputs(self, channels: int) -> int:
        return as_int(self.parameters.num_output)

    @property
    def param_count(self) -> int | None:
        return None if self.fork else 1 + bool(self.parameters.bias_term)

    def check(self) -> None:
        super().check()
        self._check_outputs(self.outputs(0))

    def _check_outputs(self, outputs: int) -> None:
        if outputs <= 0:
            raise self.refuse_outputs(outputs, "Check failed: num_output_ > 0", f"{self.source} LayerSetUp")

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        p = self.parameters
        self.read_windows(shape)
        axis = self.channel_axis
        channels = shape[axis]
        outputs = self.outputs(channels)
        self._check_outputs(outputs)
        group = self.groups()
        if group != 1:
            self._check_group(channels, outputs, group)
        weights = new_blob([*self.weight_shape(channels, outputs, group), *self.kernel], "the weight")
        self.param_shapes = [weights]
        self.fill(p.weight_filler, weights, (self.block, "weight_filler"))
        bias = p.bias_term
        if bias:
            self.param_shapes.append((outputs,))
            self.fill(p.bias_filler, (outputs,), (self.block, "bias_filler"))
        for index in range(1, len(bottoms)):
            if bottoms[index] != shape:
                raise self.refuse(
                    Kind.SHAPES_DIFFER,
                    f"bottom {index} is {text(bottoms[index])} but bottom 0 is {text(shape)}; shapes must match",
                    "shape mismatch - bottom[0]:",
                    f"{self.source} Reshape",
                    ("bottom", index),
                )
        sizes = self.top_sizes(shape)
        top = new_blob([*shape[:axis], outputs, *sizes], "the top")
        column = as_int(prod(weights[1:]) * group)
        new_blob([column, *(sizes if self.gathers else shape[axis + 1 :])], "the column buffer")
        if bias and 0 in sizes:
            raise no_data(f"the top ({text(top)})", f"{self.source} Reshape", "kernel_size" if p.kernel_size else None)
        return [top] * len(self.tops)

    gathers = True

    def _check_group(self, channels: int, outputs: int, group: int) -> None:
        if divide(channels, group, "group", (self.block, "group")) * group != channels:
            raise self.refuse(
                Kind.NOT_DIVISIBLE,
                f"the bottom has {channels} channels, not a multiple of group {group}",
                "Check failed: channels_ % group_ == 0",
                f"{self.source} LayerSetUp",
                "group",
            )
        if outputs % group:
            raise self.refuse(
                Kind.NOT_DIVISIBLE,
                f"num_output {outputs} is not a multiple of group {group}; set one that is, or another group",
                "Number of output should be multiples of group.",
                f"{self.source} LayerSetUp",
                "group",
                outputs=outputs,
                groups=group,
            )

    def multiply_adds(self) -> int:
        """Kernel size times what it is laid on: the outputs of a Convolution, the inputs of a Deconvolution."""
        blobs = self.tops if self.gathers else self.bottoms
        shapes = [blob.shape for blob in blobs]
        if not self.param_shapes or None in shapes:
            return 0
        return sum(prod(self.param_shapes[0][1:]) * count(shape) for shape in shapes if shape is not None)

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        return [weighted(self, bottom) for bottom in bottoms]


@register
class Convolution(Weighted):
    types = ("Convolution",)
    nickname = "conv"

    def weight_shape(self, channels: int, outputs: int, group: int) -> list[int]:
        return [outputs, channels // group]

    def top_sizes(self, shape: Shape) -> list[int]:
        return self.window_positions(shape)


@register
class Deconvolution(Weighted):
    types = ("Deconvolution",)
    upsamples = True
    gathers = False

    def weight_shape(self, channels: int, outputs: int, group: int) -> list[int]:
        return [channels, outputs // group]

    def top_sizes(self, shape: Shape) -> list[int]:
        sizes = []
        for axis, size in enumerate(shape[self.channel_axis + 1 :]):
            extent = self.dilation[axis] * (self.kernel[axis] - 1) + 1
            sizes.append(as_int(self.stride[axis] * (size - 1) + extent - 2 * self.pad[axis]))
        return sizes


@register
class Im2col(Windowed):
    types = ("Im2col",)
    bottom_counts = ONE
    top_counts = ONE
    least_spatial_axes = 1
    source = "im2col_layer.cpp"
    in_place = DIES

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        self.read_windows(shape)
        axis = self.channel_axis
        channels = as_int(shape[axis] * prod(self.kernel))
        return [new_blob([*shape[:axis], channels, *self.window_positions(shape)], "the top")]


@register
class DepthwiseConvolution(Convolution):
    """A Convolution of one channel per group, written for speed; a net may have one while it trains, and not later."""

    types = ("DepthwiseConvolution",)
    fork = True
    computes_by = shaped_by = ()


@register
class ConvolutionDepthwise(Convolution):
    """One kernel for each channel of the bottom, without `group`; num_output, where given, is the same number."""

    types = ("ConvolutionDepthwise",)
    fork = True
    computes_by = shaped_by = ()

    def outputs(self, channels: int) -> int:
        return channels

    def groups(self) -> int:
        return 1

    def check(self) -> None:
        Windowed.check(self)

    def weight_shape(self, channels: int, outputs: int, group: int) -> list[int]:
        return [channels, 1]
