"""The windows of a convolution or pooling, as a text gives them: in one field for all sides, or in one for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from caffelint.text.records import NamedTuple

KERNEL, STRIDE, PAD, DILATION = "kernel_size", "stride", "pad", "dilation"
_UNWRITTEN = {KERNEL: 0, STRIDE: 1, PAD: 0, DILATION: 1}
_SIDES = {KERNEL: ("kernel_h", "kernel_w"), STRIDE: ("stride_h", "stride_w"), PAD: ("pad_h", "pad_w")}


class Window(NamedTuple):
    """One spatial axis, in pixels. dilation: the step from one pixel of the kernel to the next."""

    kernel: int
    stride: int
    pad: int
    dilation: int = 1

    @property
    def extent(self) -> int:
        """The pixels from the first of the kernel to its last."""
        return self.dilation * (self.kernel - 1) + 1


def side_field(name: str, axis: int) -> str:
    """`kernel_h` of `kernel_size` and axis 0, `stride_w` of `stride` and axis 1."""
    return _SIDES[name][axis]


def has_sides(p: Any, name: str) -> bool:
    """Is height or width given by a field of its own? Pooling looks at those only without the one for both."""
    if name == DILATION or (isinstance(getattr(p, name), int) and p.HasField(name)):
        return False
    tall, wide = _SIDES[name]
    return bool(p.HasField(tall) or p.HasField(wide))


def sides(p: Any, name: str, axes: int = 2) -> Sequence[int]:
    """One number for each spatial axis; as many as there are where Caffe refuses that many.

    Height and width have separate fields, or one field is for all axes (base_conv_layer.cpp and
    pooling_layer.cpp, LayerSetUp).
    """
    if has_sides(p, name):
        return [getattr(p, side_field(name, axis)) for axis in (0, 1)]
    values = getattr(p, name, _UNWRITTEN[name])
    values = [values] if isinstance(values, int) else values[:] or [_UNWRITTEN[name]]
    return values * axes if len(values) == 1 else values


def windows(p: Any) -> tuple[Window, Window] | None:
    """Along height and width; None where the kernel is missing, or where there are not two spatial axes."""
    type_: Any = type(p)
    return _windows(type_, p.SerializePartialToString())


@lru_cache(maxsize=4096)
def _windows(type_: Any, parameters: bytes) -> tuple[Window, Window] | None:
    """Nets have many layers, and few windows."""
    p = type_.FromString(parameters)
    each = [sides(p, name) for name in (KERNEL, STRIDE, PAD, DILATION)]
    if any(len(values) != 2 for values in each) or min(each[0]) <= 0:
        return None
    tall, wide = (Window(*numbers) for numbers in zip(*each, strict=True))
    return tall, wide


def written_field(p: Any, name: str, axis: int) -> str:
    """The field that gives the number of an axis: `stride_h` or `stride`."""
    return side_field(name, axis) if has_sides(p, name) else name
