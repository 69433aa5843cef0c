"""Three-dimensional layers of C3D: num x channels x length x height x width, kernels of depth x side x side."""

from __future__ import annotations

from collections.abc import Sequence

from caffelint.caffe.layers.base import AT_LEAST_ONE, ONE, BuiltLayer, register
from caffelint.caffe.shapes import Shape, as_int, new_blob


class Volume(BuiltLayer):
    """A side and a depth each of kernel, stride and pad."""

    fork = True
    bottom_counts = ONE
    top_counts = ONE

    def windows(self, shape: Shape, round_up: bool) -> list[int]:
        """Number of windows along length, height and width."""
        p = self.parameters
        sides = ((p.kernel_depth, p.temporal_stride, p.temporal_pad), (p.kernel_size, p.stride, p.pad))
        sizes = []
        for size, (kernel, stride, pad) in zip(shape[2:], (sides[0], sides[1], sides[1]), strict=True):
            room = as_int(size + 2 * pad - kernel)
            sizes.append((-(-room // stride) if round_up else room // stride) + 1)
        return sizes

    def is_plain(self, shape: Shape) -> bool:
        """Are all sizes there, and none in a way that only some forks have?"""
        p = self.parameters
        return len(shape) == 5 and p.kernel_size > 0 and p.kernel_depth > 0 and p.stride > 0 and p.temporal_stride > 0


@register
class Convolution3D(Volume):
    types = ("Convolution3D",)
    block = "convolution3d_param"
    bottom_counts = AT_LEAST_ONE
    top_counts = AT_LEAST_ONE
    equal_counts = True
    has_weights = is_linear = True
    fillers = ("weight_filler", "bias_filler")
    reads_bottom = True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        self.param_shapes = None
        outputs = as_int(self.parameters.num_output)
        sizes = self.windows(shape, False) if self.is_plain(shape) else []
        top = new_blob((shape[0], outputs, *sizes), "the top") if sizes and outputs > 0 and min(sizes) > 0 else None
        return [top] * len(self.tops)


@register
class Pooling3D(Volume):
    types = ("Pooling3D",)
    block = "pooling3d_param"
    keeps_channels = True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        sizes = self.windows(shape, True) if self.is_plain(shape) else []
        return [new_blob((*shape[:2], *sizes), "the top") if sizes and min(sizes) > 0 else None]


@register
class Deconvolution3D(Convolution3D):
    types = ("Deconvolution3D",)
    upsamples = True

    def windows(self, shape: Shape, round_up: bool) -> list[int]:
        p = self.parameters
        side = (p.kernel_size, p.stride, p.pad)
        sides = ((p.kernel_depth, p.temporal_stride, p.temporal_pad), side, side)
        return [
            as_int(stride * (size - 1) + kernel - 2 * pad)
            for size, (kernel, stride, pad) in zip(shape[2:], sides, strict=True)
        ]
