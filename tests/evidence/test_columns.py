"""What each file of a list holds, told apart."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")
from caffelint.evidence.data.columns import columns_of  # noqa: E402
from caffelint.evidence.data.values import MOST_COLUMNS, Facts, Top, facts_of  # noqa: E402


def test_moments_of_values() -> None:
    rows = np.random.RandomState(1).randn(50, 3).astype(np.float32)
    one = columns_of(rows[:20])
    one.join(columns_of(rows[20:]))
    assert one.records == 50
    assert [one.mean(column) for column in range(3)] == pytest.approx(rows.mean(axis=0).tolist(), abs=1e-6)
    assert [one.variance(column) for column in range(3)] == pytest.approx(rows.var(axis=0).tolist(), rel=1e-4)


def test_large_records_by_their_means() -> None:
    rows = np.arange(5.0 * 1 * 6 * 6).reshape(5, 1, 6, 6)
    assert rows[0].size > MOST_COLUMNS
    assert columns_of(rows).mean(0) == pytest.approx(rows.mean())


def test_what_is_not_finite_is_left_out() -> None:
    found = columns_of(np.array([[1.0, np.nan], [3.0, 4.0]]))
    assert (found.records, found.sums) == (1, [3.0, 4.0])


def test_files_are_kept_apart() -> None:
    facts = Facts()
    for name, value in (("a.h5", 1.0), ("b.h5", 5.0), ("a.h5", 3.0)):
        facts.top("box").join(Top(records=2, files={name: columns_of(np.full((2, 2), value))}))
    again = facts_of(facts.as_json()).tops["box"].files
    assert {name: one.mean(0) for name, one in again.items()} == {"a.h5": 2.0, "b.h5": 5.0}
