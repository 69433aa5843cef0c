"""Three-dimensional layers of C3D: num x channels x length x height x width, kernels of depth x side x side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from caffelint.caffe.layers.base import AT_LEAST_ONE, ONE, BuiltLayer, register
from caffelint.caffe.shapes import Shape, as_int, new_blob
from caffelint.text.records import NamedTuple


class Side(NamedTuple):
    """The windows along one axis."""

    kernel: int
    stride: int
    pad: int


class Volume(BuiltLayer):
    """A side and a depth each of kernel, stride and pad.

    C3D 1.0 takes them from the block of Caffe's own two-dimensional layer, C3D 1.1 from one that it added
    (convolution3d_layer.cpp and pool3d_layer.cpp, LayerSetUp). A layer that has only the older block is one of C3D 1.0.
    """

    fork = True
    bottom_counts = ONE
    top_counts = ONE
    older_block: ClassVar[str] = ""

    def __init__(self, message: Any, *rest: Any) -> None:
        super().__init__(message, *rest)
        self.block = self.block_of(message)

    @classmethod
    def block_of(cls, message: Any) -> str:
        older = message is not None and not message.HasField(cls.block) and message.HasField(cls.older_block)
        return cls.older_block if older else cls.block

    def sides(self) -> tuple[Side, Side, Side]:
        """The windows along length, height and width."""
        p = self.parameters
        # pooling_param has no temporal_pad: in C3D 1.0 nothing is padded along the length.
        length = Side(p.kernel_depth, p.temporal_stride, getattr(p, "temporal_pad", 0))
        side = Side(_one(p.kernel_size, 0), _one(p.stride, 1), _one(p.pad, 0))
        return length, side, side

    def counts(self, shape: Shape, round_up: bool) -> list[int]:
        """Number of windows along length, height and width."""
        sizes = []
        for size, (kernel, stride, pad) in zip(shape[2:], self.sides(), strict=True):
            room = as_int(size + 2 * pad - kernel)
            sizes.append((-(-room // stride) if round_up else room // stride) + 1)
        return sizes

    def is_plain(self, shape: Shape) -> bool:
        """Are all sizes there, and none in a way that only some forks have?"""
        return len(shape) == 5 and all(side.kernel > 0 and side.stride > 0 for side in self.sides())


def _one(value: Any, default: int) -> int:
    """Of a field that is repeated in Caffe and single in C3D, where the last value counts."""
    return value if isinstance(value, int) else value[-1] if value else default


@register
class Convolution3D(Volume):
    types = ("Convolution3D",)
    block = "convolution3d_param"
    older_block = "convolution_param"
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
        sizes = self.counts(shape, False) if self.is_plain(shape) else []
        top = new_blob((shape[0], outputs, *sizes), "the top") if sizes and outputs > 0 and min(sizes) > 0 else None
        return [top] * len(self.tops)


@register
class Pooling3D(Volume):
    types = ("Pooling3D",)
    pools = True
    block = "pooling3d_param"
    older_block = "pooling_param"
    keeps_channels = True

    def set_up(self, bottoms: Sequence[Shape]) -> Sequence[Shape | None]:
        shape = bottoms[0]
        sizes = self.counts(shape, True) if self.is_plain(shape) else []
        return [new_blob((*shape[:2], *sizes), "the top") if sizes and min(sizes) > 0 else None]


@register
class Deconvolution3D(Convolution3D):
    types = ("Deconvolution3D",)
    upsamples = True

    def counts(self, shape: Shape, round_up: bool) -> list[int]:
        return [
            as_int(stride * (size - 1) + kernel - 2 * pad)
            for size, (kernel, stride, pad) in zip(shape[2:], self.sides(), strict=True)
        ]
