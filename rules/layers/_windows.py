"""Where the windows of a pooling layer lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from caffelint.lint.built import PoolingParameter

CEIL = 0


class Axis(NamedTuple):
    """One spatial axis of a pooling: the field that gives its stride, and its numbers."""

    field: str
    kernel: int
    stride: int
    pad: int

    def outputs(self, size: int, ceil: bool) -> int:
        """How many windows there are over `size` pixels (pooling_layer.cpp, Reshape)."""
        free = size + 2 * self.pad - self.kernel
        windows = (-(-free // self.stride) if ceil else free // self.stride) + 1
        if self.pad and (windows - 1) * self.stride >= size + self.pad:
            windows -= 1
        return windows

    def last_start(self, size: int, ceil: bool) -> int:
        return (self.outputs(size, ceil) - 1) * self.stride - self.pad


def axes(param: PoolingParameter) -> list[Axis]:
    """Height and width; one of the two where their fields are the same."""
    height = Axis(
        "stride_h" if param.HasField("stride_h") else "stride",
        param.kernel_h or param.kernel_size,
        param.stride_h or param.stride,
        param.pad_h or param.pad,
    )
    width = Axis(
        "stride_w" if param.HasField("stride_w") else "stride",
        param.kernel_w or param.kernel_size,
        param.stride_w or param.stride,
        param.pad_w or param.pad,
    )
    return [height] if height[1:] == width[1:] else [height, width]


def may_be_empty(axis: Axis, param: PoolingParameter) -> bool:
    """Can a window lie behind the border, at some size of the map?"""
    return axis.stride > axis.kernel > 0 and not axis.pad and rounds_up(param)


def rounds_up(param: PoolingParameter) -> bool:
    """`ceil_mode` is what the forks had before `round_mode`."""
    return param.round_mode == CEIL and (param.ceil_mode or not param.HasField("ceil_mode"))
