"""What is said of the values of a blob, held against numpy over the whole of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from caffelint.caffe.weights.stored import DOUBLE, FLOAT, HALF, StoredBlob
from caffelint.evidence.weights.statistics import statistics

DTYPES = {FLOAT: "<f4", DOUBLE: "<f8", HALF: "<f2"}


def of(values: Any, kind: str = FLOAT, legacy: bool = False) -> StoredBlob:
    shape = (1,) * (4 - values.ndim) + values.shape if legacy else values.shape
    data = b"x" + values.astype(DTYPES[kind]).tobytes()  # not aligned, as in a file
    flat = np.ndarray((values.size,), DTYPES[kind], data, 1)
    return StoredBlob(shape, values.size, lambda: flat, legacy=legacy, kind=kind)


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE, HALF])
@pytest.mark.parametrize(
    "shape", [(1,), (7,), (300_001,), (5, 3), (64, 3, 3, 3), (3, 200_000), (1, 1, 10, 4000), (2000, 1)]
)
def test_numbers(kind: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(sum(shape)).normal(0.1, 0.3, shape).astype(DTYPES[kind])
    values.reshape(-1)[::3] = 0
    found = statistics(of(values, kind))
    assert found is not None
    exact = values.astype("f8")
    assert (found.values, found.nan, found.inf) == (values.size, 0, 0)
    assert (found.low, found.high) == (float(values.astype("f4").min()), float(values.astype("f4").max()))
    assert math.isclose(found.mean, exact.mean(), rel_tol=1e-4, abs_tol=1e-6)
    assert math.isclose(found.std, exact.std(), rel_tol=1e-4, abs_tol=1e-6)
    assert found.zeros == int((values == 0).sum())
    wanted = next((dim for dim in shape if dim != 1), 1) if sum(dim != 1 for dim in shape) > 1 else None
    assert (found.filters.number if found.filters else None) == (wanted if shape != (2000, 1) else 2000)


@pytest.mark.parametrize("legacy", [False, True])
def test_what_is_not_finite(legacy: bool) -> None:
    values = np.random.default_rng(3).normal(0, 1, (50, 9000))
    values[7, 5] = values[41, 8999] = np.nan
    values[8] = np.inf
    values[9, 1] = -np.inf
    found = statistics(of(values, legacy=legacy))
    assert found is not None
    finite = values[np.isfinite(values)].astype("f4")
    assert (found.nan, found.inf) == (2, 9001)
    assert (found.low, found.high) == (float(finite.min()), float(finite.max()))
    assert math.isclose(found.mean, finite.mean(), rel_tol=1e-3, abs_tol=1e-5)
    assert found.filters
    assert found.filters.number == 50
    nothing = statistics(of(np.full((3,), np.nan)))
    assert nothing is not None
    assert math.isnan(nothing.low)


def test_filters() -> None:
    values = np.random.default_rng(4).normal(0, 1, (400, 700))
    values[3] = 0
    values[5] = 1e-9
    values[6] = 0.5
    values[[17, 399]] = values[16]
    values[100] = np.sort(values[101])  # the same range and sum, but not a copy
    found = statistics(of(values))
    assert found is not None
    assert found.filters
    assert found.filters.dead == [3, 5]
    assert found.filters.constant == [6]
    assert found.filters.copies == [(17, 16), (399, 16)]


def test_sums_beyond_float() -> None:
    found = statistics(of(np.full((4,), 3e38)))
    assert found is not None
    assert math.isclose(found.rms, 3e38, rel_tol=1e-3)
    assert statistics(of(np.zeros((0,)))) is None


def test_a_shape_of_negative_axes() -> None:
    """Their product may be the number of values all the same."""
    values = np.arange(6, dtype=np.float32)
    found = statistics(StoredBlob((-2, -3), 6, lambda: values))
    assert found is not None
    assert (found.values, found.low, found.high, found.filters) == (6, 0, 5, None)
