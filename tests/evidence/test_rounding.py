"""What float32 leaves of the values of wider types."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from caffelint.evidence.data.values import Facts, Rounded, facts_of

np = pytest.importorskip("numpy")

from caffelint.evidence.data.rounding import rounded  # noqa: E402


@pytest.mark.parametrize(
    ("values", "left"),
    [
        (1.5e9 + np.arange(100), 2),
        (np.arange(2**25, 2**25 + 1000), 251),
        (np.arange(2**24, 2**24 + 1000), None),  # half of them and one
        (1.5e9 + np.arange(100, dtype=np.float32), None),
        (np.random.RandomState(0).randn(1000), None),
        (np.arange(1000), None),
        (1.5e9 + 1000.0 * np.arange(1000), None),
        (np.full(100, 1.5e9), None),
        (np.array([0.3, 0.1 + 0.2] * 50), None),  # one value, computed in two ways
        (np.array([1e300, 1.0, 2.0]), None),
        (np.array([np.nan, 1.5e9, 1.5e9 + 1]), None),
    ],
)
def test_what_is_left(values: Any, left: int | None) -> None:
    found = rounded(values, "a.h5")
    assert (found and found.left) == left


def test_the_column_that_loses_most() -> None:
    rows = np.stack([np.arange(300.0), 1.5e9 + np.arange(300), 2.0**25 + np.arange(300)], axis=1)
    found = rounded(rows, "a.h5")
    assert found is not None
    assert (found.column, found.different, found.left, found.step) == (1, 300, 3, 128)


def test_what_is_between_the_values_of_a_record() -> None:
    """Moments in milliseconds, whose first one has many steps of float32 over all records."""
    first = 1.6e12 + 1e8 * np.random.RandomState(1).rand(300, 1)
    found = rounded(first + np.arange(5) * 3e4, "a.h5")
    assert found is not None
    assert (found.different, found.step, round(found.apart)) == (0, 2.0**17, 120000)
    assert rounded(first + np.arange(5) * 3e5, "a.h5") is None
    assert rounded(np.repeat(first, 5, axis=1), "a.h5") is None


def test_parts_and_what_is_kept() -> None:
    one = Rounded("a.h5", "int64", -1, 100, 50, 0.0, 1.0, 2.0)
    facts, other = Facts(), Facts()
    facts.top("when").records = other.top("when").records = 1
    facts.top("when").join_rounded(one)
    other.top("when").join_rounded(replace(one, file="b.h5", left=10))
    facts.join(other)
    assert facts_of(json.loads(json.dumps(facts.as_json()))).tops["when"].rounded == replace(one, file="b.h5", left=10)
