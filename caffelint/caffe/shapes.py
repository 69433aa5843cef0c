"""Blob shapes as Caffe reckons with them: C++ ints, axes counted from either end, checks on every new blob.

A shape is a tuple of ints; `None` means unknown. Facts: blob.hpp, blob.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from caffelint.caffe.place import FieldPath
from caffelint.caffe.refusal import Kind, Refusal

Shape = tuple[int, ...]
PartialShape = tuple[int | None, ...]
"""A shape of which single dimensions may be unknown."""

INT_MAX = 2**31 - 1
MAX_AXES = 32


class _Unshaped(tuple[int, ...]):
    """Shape of a blob that was made and never reshaped: no axes, and unlike a scalar no element either."""

    __slots__ = ()


UNSHAPED: Shape = _Unshaped()


def as_int(value: int) -> int:
    """`value` (uint32, int64, any product) as a C++ int holds it: wrapped to 32 bits."""
    if -INT_MAX <= value <= INT_MAX:
        return value
    return (value + 2**31) % 2**32 - 2**31


def text(shape: Sequence[int]) -> str:
    """`2x3x8`, or `scalar`."""
    return "x".join(map(str, shape)) if shape else "scalar"


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def like(shape: Shape) -> Shape:
    """Shape of a blob that is made like another one (ReshapeLike), which was checked when it was made."""
    return shape if shape else ()


def new_blob(shape: Sequence[int], what: str = "the blob", field: FieldPath | None = None) -> Shape:
    """The shape of a blob that is reshaped to `shape`; raises Refusal as Blob::Reshape does."""
    if 0 < prod(shape) <= INT_MAX and len(shape) <= MAX_AXES and (not shape or min(shape) > 0):
        return tuple(shape)
    if len(shape) > MAX_AXES:
        raise Refusal(
            Kind.WRONG_AXES,
            f"{what} would have {len(shape)} axes; a blob has at most {MAX_AXES}",
            "<= kMaxBlobAxes",
            "blob.cpp Reshape",
            field,
        )
    count = 1
    for dim in shape:
        if dim < 0:
            raise Refusal(
                Kind.NEGATIVE_DIMENSION,
                f"{what} would be {text(shape)}; a dimension cannot be negative",
                "Check failed: shape[i] >= 0",
                "blob.cpp Reshape",
                field,
            )
        if count and dim > INT_MAX // count:
            raise Refusal(
                Kind.BLOB_TOO_LARGE,
                f"{what} would be {text(shape)}, more than the {INT_MAX} elements that Caffe can count",
                "blob size exceeds INT_MAX",
                "blob.cpp Reshape",
                field,
            )
        count *= dim
    return tuple(shape)


def canonical_axis(shape: Sequence[int], axis: int, field: FieldPath | None = None) -> int:
    """`axis` counted from the front; raises Refusal where the blob has no such axis (CanonicalAxisIndex)."""
    axes = len(shape)
    if -axes <= axis < axes:
        return axis + axes if axis < 0 else axis
    raise Refusal(
        Kind.NO_SUCH_AXIS,
        f"axis {axis} does not exist: the blob has {axes} axes ({text(shape)})",
        f"axis {axis} out of range for {axes}-D Blob with shape",
        "blob.hpp CanonicalAxisIndex",
        field,
    )


def count(shape: Sequence[int], start: int = 0, end: int | None = None) -> int:
    """Product of the dimensions from `start` up to, but not including, `end` (Blob::count)."""
    if start == 0 and end is None:
        return 0 if shape is UNSHAPED else prod(shape)
    axes = len(shape)
    if end is None:
        end = axes
    if start > end:
        raise Refusal(
            Kind.NO_SUCH_AXIS,
            f"axis {start} comes after axis {end - 1}, the last of {text(shape)}",
            "Check failed: start_axis <= end_axis",
            "blob.hpp count",
        )
    return as_int(prod(shape[start:end]))


def legacy(shape: Sequence[int], field: FieldPath | None = None) -> Shape:
    """num, channels, height, width of a blob, 1 where it has fewer axes (LegacyShape)."""
    if len(shape) > 4:
        raise Refusal(
            Kind.WRONG_AXES,
            f"the blob has {len(shape)} axes ({text(shape)}); this layer takes at most 4",
            "Cannot use legacy accessors on Blobs with > 4 axes.",
            "blob.hpp LegacyShape",
            field,
            axes=len(shape),
        )
    return tuple(shape) + (1,) * (4 - len(shape))


def no_data(what: str, function: str, field: FieldPath | str | None = None, part: str = "data_") -> Refusal:
    """The refusal that touching the data of a blob without elements gives: they were never allocated."""
    return Refusal(Kind.NO_ELEMENTS, f"{what} has no elements", f"Check failed: {part}", function, field)


def divide(dividend: int, divisor: int, what: str, field: FieldPath | None = None) -> int:
    """C++ integer division, which drops the fraction; by zero it ends the process without a message (SIGFPE)."""
    if divisor == 0:
        raise Refusal(
            Kind.DIVISION_BY_ZERO,
            f"{what} is 0, so Caffe divides by zero and dies without a message",
            "Floating point exception",
            "",
            field,
        )
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient
