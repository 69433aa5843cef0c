"""What a filler refuses when it fills the blob of a parameter (filler.hpp, math_functions.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from caffelint.caffe.place import FieldPath
from caffelint.caffe.refusal import Kind, Refusal
from caffelint.caffe.shapes import Shape, canonical_axis, count, no_data, text

SOURCE = "filler.hpp"


FILLER_FIELDS = {
    "constant": ("value",),
    "gaussian": ("mean", "std", "sparse"),
    "uniform": ("min", "max"),
    "xavier": ("variance_norm",),
    "msra": ("variance_norm",),
    "positive_unitball": (),
    "bilinear": (),
}
"""What each filler reads besides its type."""


class UnknownFiller(Refusal):
    """No filler of Caffe 1.0 has that name; a fork may have one."""

    def resembles_a_known_one(self) -> bool:
        """Is the name more probably a slip than a fork's own?"""
        from difflib import get_close_matches

        return bool(get_close_matches(self.values["type"].lower(), FILLERS, 1, 0.75))


def check_name(filler: Any, field: FieldPath) -> str:
    """The filler's type; raises Refusal where Caffe has none of that name (GetFiller)."""
    name: str = filler.type
    if name not in FILLERS:
        raise UnknownFiller(
            Kind.UNKNOWN_FILLER,
            f'there is no filler "{name}"; the fillers are {", ".join(FILLERS)}',
            f"Unknown filler name: {name}",
            f"{SOURCE} GetFiller",
            (*field, "type"),
            type=name,
        )
    return name


def fill(filler: Any, shape: Shape, field: FieldPath) -> None:
    """Raise the Refusal that filling a blob of this shape meets, if any; `field` is the field of the filler."""
    FILLERS[check_name(filler, field)](filler, shape, field)


def _empty(shape: Shape, field: FieldPath, phrase: str = "data_") -> Refusal:
    return Refusal(
        Kind.NO_ELEMENTS,
        f"the parameter blob to fill has no elements ({text(shape)})",
        f"Check failed: {phrase}",
        SOURCE,
        field,
    )


def _check_sparse(filler: Any, field: FieldPath) -> None:
    if filler.sparse != -1:
        raise Refusal(
            Kind.FIELD_NOT_TAKEN,
            f'filler "{filler.type}" does not take sparse; only "gaussian" does',
            "Sparsity not supported by this Filler.",
            SOURCE,
            (*field, "sparse"),
        )


def _constant(filler: Any, shape: Shape, field: FieldPath) -> None:
    if 0 in shape:
        raise _empty(shape, field)
    _check_sparse(filler, field)


def _uniform(filler: Any, shape: Shape, field: FieldPath) -> None:
    if 0 in shape:
        raise _empty(shape, field, "blob->count()")
    low, high = filler.min, filler.max
    if not low <= high:
        raise Refusal(
            Kind.VALUE_OUT_OF_RANGE,
            f"min {low:g} is larger than max {high:g}",
            "Check failed: a <= b",
            "math_functions.cpp caffe_rng_uniform",
            (*field, "min"),
        )
    _check_sparse(filler, field)


def _gaussian(filler: Any, shape: Shape, field: FieldPath) -> None:
    if 0 in shape:
        raise _empty(shape, field)
    std = filler.std
    if not std > 0:
        raise Refusal(
            Kind.VALUE_OUT_OF_RANGE,
            f'std is {std:g}; it must be larger than 0 (for equal values set type: "constant")',
            "Check failed: sigma > 0",
            "math_functions.cpp caffe_rng_gaussian",
            (*field, "std"),
        )
    sparse = filler.sparse
    if sparse < -1:
        raise Refusal(
            Kind.VALUE_OUT_OF_RANGE,
            f"sparse is {sparse}; it must be 0 or more, or -1 for off",
            "Check failed: sparse >= -1",
            f"{SOURCE} GaussianFiller",
            (*field, "sparse"),
        )
    if sparse >= 0:
        if not shape:
            raise Refusal(
                Kind.FILLER_DOES_NOT_FIT,
                "sparse needs a parameter with an axis, but this one is a scalar",
                "Check failed: blob->num_axes() >= 1",
                f"{SOURCE} GaussianFiller",
                (*field, "sparse"),
            )
        if sparse > shape[0]:
            raise Refusal(
                Kind.FILLER_DOES_NOT_FIT,
                f"sparse {sparse} is larger than the {shape[0]} outputs",
                "Check failed: p <= 1",
                "math_functions.cpp caffe_rng_bernoulli",
                (*field, "sparse"),
            )


def _positive_unitball(filler: Any, shape: Shape, field: FieldPath) -> None:
    if 0 in shape:
        raise _empty(shape, field)
    canonical_axis(shape, 0, field)
    _check_sparse(filler, field)


def _fan(filler: Any, shape: Shape, field: FieldPath) -> None:
    if 0 in shape:
        raise _empty(shape, field, "blob->count()")
    canonical_axis(shape, 0, field)
    _check_sparse(filler, field)


def _bilinear(filler: Any, shape: Shape, field: FieldPath) -> None:
    if len(shape) != 4:
        raise Refusal(
            Kind.FILLER_DOES_NOT_FIT,
            f"the parameter has {len(shape)} axes ({text(shape)}); a bilinear filler fills 4",
            "Blob must be 4 dim.",
            f"{SOURCE} BilinearFiller",
            (*field, "type"),
        )
    if shape[2] != shape[3]:
        raise Refusal(
            Kind.FILLER_DOES_NOT_FIT,
            f"the kernel is {shape[2]}x{shape[3]}; a bilinear filler needs a square one",
            "Filter must be square",
            f"{SOURCE} BilinearFiller",
            (*field, "type"),
        )
    if count(shape) == 0:
        raise no_data("the parameter blob to fill", f"{SOURCE} BilinearFiller", field)
    _check_sparse(filler, field)


FILLERS: dict[str, Callable[[Any, Shape, FieldPath], None]] = {
    "constant": _constant,
    "gaussian": _gaussian,
    "positive_unitball": _positive_unitball,
    "uniform": _uniform,
    "xavier": _fan,
    "msra": _fan,
    "bilinear": _bilinear,
}

_FIXED = frozenset(["constant", "bilinear"])


def only_value(filler: Any) -> float | None:
    """The value of all weights where a filler gives no other: ConstantFiller, and UniformFiller from a to a."""
    if filler.type == "constant":
        return float(filler.value)
    return float(filler.min) if filler.type == "uniform" and filler.min == filler.max else None


def draws(filler: Any) -> bool:
    """Whether the filler draws random numbers; False for an unknown one."""
    return filler.type in FILLERS and filler.type not in _FIXED
