"""Pooling, and the pyramid of poolings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from math import inf

from caffelint.caffe.layers.base import ONE, BuiltLayer, Counts, register
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import Shape, as_int, legacy, new_blob, text
from caffelint.caffe.values import UNKNOWN, Values
from caffelint.caffe.windows import KERNEL, PAD, STRIDE, Window, sides, windows, written_field

MAX, AVE, STOCHASTIC = 0, 1, 2
CEIL = 0
SMALL = 3
SOURCE = "pooling_layer.cpp"


def pooled_size(size: int, kernel: int, stride: int, pad: int, padded: bool, floor: bool = False) -> int:
    """Number of windows along one axis (PoolingLayer::Reshape); `padded` where either axis has padding."""
    room = as_int(size + 2 * pad - kernel)
    if stride == 0:
        # ceil(x / 0) is not finite; made an int it is the smallest one.
        return -(2**31) + 1
    windows = (room // stride if floor else -(-room // stride)) + 1
    if padded and (windows - 1) * stride >= size + pad:
        windows -= 1
    return as_int(windows)


def check_clipped(windows: int, size: int, stride: int, pad: int, side: str) -> None:
    """After one window was taken off, the last one must start on the padded image."""
    if (windows - 1) * stride >= size + pad:
        raise Refusal(
            Kind.WINDOW_TOO_LARGE,
            f"the last window starts {(windows - 1) * stride - size - pad} pixels beyond the padded map",
            f"Check failed: (pooled_{side}_ - 1) * stride_",
            f"{SOURCE} Reshape",
            "pooling_param",
        )


def need_four_axes(layer_type: str, shape: Shape, function: str) -> None:
    if len(shape) != 4:
        raise Refusal(
            Kind.WRONG_AXES,
            f"the bottom has {len(shape)} axes ({text(shape)}); {layer_type} takes 4 (num, channels, height, width)",
            "Input must have 4 axes, corresponding to (num, channels, height, width)",
            function,
            ("bottom", 0),
            axes=len(shape),
        )


@register
class Pooling(BuiltLayer):
    """After set_up: kernel, stride, pad as (height, width); `windows` likewise, as far as they were reached."""

    repeats = True
    types = ("Pooling",)
    pools = True
    block = "pooling_param"
    bottom_counts = ONE
    has_engine = True
    keeps_channels = True
    computes_by = ("pool",)
    nickname = "pool"

    @property
    def draws_at_random(self) -> bool:
        return self.parameters.pool == STOCHASTIC and self.phase == "TRAIN"

    def wanted_tops(self) -> Counts:
        return Counts(1, 2 if self.parameters.pool == MAX else 1)

    @cached_property
    def _windows(self) -> tuple[Window, Window] | None:
        return None if self.parameters.global_pooling else windows(self.parameters)

    def written_windows(self) -> tuple[Window, Window] | None:
        return self._windows

    @property
    def rounds_up(self) -> bool:
        """Is a last window taken that reaches over the border? `ceil_mode` is what forks had before `round_mode`."""
        p = self.parameters
        return bool(p.round_mode == CEIL and (p.ceil_mode or not p.HasField("ceil_mode")))

    def read_windows(self) -> None:
        """Kernel (None where global), stride and pad, or the Refusal of PoolingLayer::LayerSetUp."""
        p = self.parameters
        function = f"{SOURCE} LayerSetUp"
        has = p.HasField
        square, tall, wide = has("kernel_size"), has("kernel_h"), has("kernel_w")
        self.is_global = p.global_pooling
        if self.is_global:
            if square or tall or wide:
                raise self.refuse(
                    Kind.FIELD_NOT_TAKEN,
                    "global_pooling: true covers the whole map; remove the kernel size",
                    "With Global_pooling: true Filter size cannot specified",
                    function,
                    "kernel_size" if square else "kernel_h" if tall else "kernel_w",
                )
        elif square == (tall and wide):
            raise self.refuse(
                Kind.CONFLICTING_FIELDS if square else Kind.MISSING_FIELD,
                "kernel_size is set along with kernel_h and kernel_w; keep one of the two"
                if square
                else "only one of kernel_h and kernel_w is set; set both"
                if tall or wide
                else "kernel_size is missing; set it",
                "Filter size is kernel_size OR kernel_h and kernel_w; not both",
                function,
                "kernel_size" if square else "kernel_h" if tall else "kernel_w" if wide else None,
                **({} if square or tall or wide else {"missing": "kernel_size"}),
            )
        for name, phrase in (
            ("pad", "pad is pad OR pad_h and pad_w are required."),
            ("stride", "Stride is stride OR stride_h and stride_w are required."),
        ):
            tall, wide = has(f"{name}_h"), has(f"{name}_w")
            if (tall or wide) and not (tall and wide and not has(name)):
                raise self.refuse(
                    Kind.CONFLICTING_FIELDS if has(name) else Kind.MISSING_FIELD,
                    f"{name} is set along with {name}_h or {name}_w; keep one of the two"
                    if has(name)
                    else f"only one of {name}_h and {name}_w is set; set both",
                    phrase,
                    function,
                    name if has(name) else f"{name}_h" if tall else f"{name}_w",
                )
        kernel, self.pad, self.stride = (
            (as_int(tall), as_int(wide)) for tall, wide in (sides(p, name) for name in (KERNEL, PAD, STRIDE))
        )
        self.kernel: tuple[int, int] | None = None if self.is_global else kernel

    def check_windows(self, kernel: tuple[int, int] | None) -> None:
        """The rest of LayerSetUp; `kernel` is None where it is the unknown size of the bottom."""
        p = self.parameters
        function = f"{SOURCE} LayerSetUp"
        if kernel and (kernel[0] <= 0 or kernel[1] <= 0):
            raise self.refuse(
                Kind.NO_ELEMENTS if self.is_global else Kind.VALUE_OUT_OF_RANGE,
                "the kernel must be at least 1x1" if not self.is_global else "the bottom has no pixels",
                "Filter dimensions cannot be zero.",
                function,
                None if self.is_global else "kernel_size" if p.HasField("kernel_size") else "kernel_h",
            )
        if self.is_global and (self.pad != (0, 0) or self.stride != (1, 1)):
            raise self.refuse(
                Kind.FIELD_NOT_TAKEN,
                "global_pooling: true covers the whole map, so only pad: 0 and stride: 1 are allowed",
                "With Global_pooling: true; only pad = 0 and stride = 1",
                function,
                "stride" if self.stride != (1, 1) else "pad",
            )
        if self.pad != (0, 0):
            if p.pool == STOCHASTIC:
                raise self.refuse(
                    Kind.FIELD_NOT_TAKEN,
                    "stochastic pooling takes no padding; remove pad",
                    "Padding implemented only for average and max pooling.",
                    function,
                    "pad" if p.HasField("pad") else "pad_h",
                )
            for axis, side in enumerate("hw"):
                if kernel and self.pad[axis] >= kernel[axis]:
                    raise self.refuse(
                        Kind.PADDING_TOO_LARGE,
                        f"pad {self.pad[axis]} must be smaller than the kernel, {kernel[axis]}",
                        f"Check failed: pad_{side}_ < kernel_{side}_",
                        function,
                        "pad" if p.HasField("pad") else f"pad_{side}",
                    )

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        self.read_windows()
        kernel = self.kernel
        if kernel is None:
            kernel = self.kernel = legacy(shape, ("bottom", 0))[2:]  # type: ignore[assignment]
        assert kernel is not None
        self.check_windows(kernel)
        need_four_axes(self.type, shape, f"{SOURCE} Reshape")
        padded = self.pad != (0, 0)
        floor = self.parameters.round_mode != CEIL
        self.windows = windows = [
            pooled_size(shape[2 + axis], kernel[axis], self.stride[axis], self.pad[axis], padded, floor)
            for axis in (0, 1)
        ]
        for axis in (0, 1):
            if padded:
                check_clipped(
                    windows[axis], shape[2 + axis], self.stride[axis], self.pad[axis], ("height", "width")[axis]
                )
        for axis, side in enumerate("hw"):
            if windows[axis] < 0:
                padded_size = shape[2 + axis] + 2 * self.pad[axis]
                kind = Kind.WINDOW_TOO_LARGE
                why = f"kernel {kernel[axis]} is larger than the map, {padded_size} with its padding"
                field = "kernel_size" if self.parameters.HasField("kernel_size") else f"kernel_{side}"
                if not self.stride[axis]:
                    field = written_field(self.parameters, STRIDE, axis)
                    kind, why = Kind.VALUE_OUT_OF_RANGE, f"{field} is 0; it must be larger than 0"
                raise self.refuse(kind, why, "Check failed: shape[i] >= 0", "blob.cpp Reshape", field)
        top = new_blob([shape[0], shape[1], *windows], "the top")
        return [top] * len(self.tops)

    def set_up_unknown(self, bottoms: Sequence[Shape | None]) -> Sequence[Shape | None]:
        self.read_windows()
        self.check_windows(self.kernel)
        return [None] * len(self.tops)

    def values(self, bottoms: Sequence[Values]) -> Sequence[Values]:
        p = self.parameters
        low, high, zeros, signed = bottoms[0]
        if p.pool != MAX:
            # Padding counts as 0 in an average, and an empty sum gives one.
            low, high = min(low, 0), max(high, 0)
        kernel = [p.kernel_size] if p.kernel_size else [p.kernel_h, p.kernel_w]
        if not p.global_pooling and max(p.stride, p.stride_h, p.stride_w) > min(kernel):
            # A window may be empty: its greatest value is -3.4e38.
            return [UNKNOWN] * len(self.tops)
        # In a small window all values may well be 0, in a large one hardly ever.
        small = not p.global_pooling and max(kernel) <= SMALL
        return [Values(low, high, zeros and small, signed and small), Values(-1, inf)][: len(self.tops)]


@register
class SPP(BuiltLayer):
    types = ("SPP",)
    block = "spp_param"
    bottom_counts = ONE
    top_counts = ONE
    source = "spp_layer.cpp"

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        num, channels, height, width = legacy(shape, ("bottom", 0))
        if height <= 0 or width <= 0:
            raise self.refuse(
                Kind.NO_ELEMENTS,
                "the bottom has no pixels",
                "Input dimensions cannot be zero.",
                f"{self.source} LayerSetUp",
                ("bottom", 0),
            )
        levels = as_int(self.parameters.pyramid_height)
        if levels <= 0:
            given = self.parameters.pyramid_height
            raise self.refuse(
                Kind.VALUE_OUT_OF_RANGE if given else Kind.MISSING_FIELD,
                f"pyramid_height {given} does not fit into an int" if given else "pyramid_height is missing; set it",
                "Split Layer produces at least 1 top blob(s) as output.",
                f"{self.source} LayerSetUp",
                "pyramid_height",
            )
        total = 0
        for level in range(levels):
            tall, wide = self._bins(height, width, level)
            need_four_axes(self.type, shape, f"{SOURCE} Reshape")
            total += tall * wide
        if levels == 1:
            return [new_blob((num, channels, tall, wide), "the top")]
        if self.runs_in_place:
            raise self.refuse(
                Kind.IN_PLACE,
                "SPP cannot work in place, since it needs the 4 axes of its bottom again; give its top another name",
                "Input must have 4 axes, corresponding to (num, channels, height, width)",
                f"{self.source} Reshape",
                ("top", 0),
            )
        return [new_blob((num, as_int(channels * total)), "the top")]

    def _bins(self, height: int, width: int, level: int) -> tuple[int, int]:
        """Windows of one level, as the Pooling layer inside makes them (GetPoolingParam)."""
        bins = 2**level
        kernels = [math.ceil(size / bins) for size in (height, width)]
        pads = [(kernel * bins - size + 1) // 2 for kernel, size in zip(kernels, (height, width), strict=False)]
        padded = any(pads)
        if padded and self.parameters.pool not in (MAX, AVE):
            raise self.refuse(
                Kind.FIELD_NOT_TAKEN,
                f"{height}x{width} pixels in {bins}x{bins} bins need padding, which stochastic pooling does not take",
                "Padding implemented only for average and max pooling.",
                f"{SOURCE} LayerSetUp",
                "pool",
            )
        for side, pad, kernel in zip("hw", pads, kernels, strict=False):
            if padded and pad >= kernel:
                raise self.refuse(
                    Kind.WINDOW_TOO_LARGE,
                    f"level {level} has {bins}x{bins} bins, too many for {height}x{width} pixels",
                    f"Check failed: pad_{side}_ < kernel_{side}_",
                    f"{SOURCE} LayerSetUp",
                    "pyramid_height",
                )
        tall, wide = (
            pooled_size(size, kernel, kernel, pad, padded)
            for size, kernel, pad in zip((height, width), kernels, pads, strict=False)
        )
        return tall, wide
