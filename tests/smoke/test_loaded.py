"""Weights that were loaded are looked at before they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from caffelint.smoke.loaded import wrong


@pytest.mark.parametrize(
    ("values", "variances", "found"),
    [
        ([1.0, -2.0], False, None),
        ([1.0, 2.0], True, None),
        ([1.0, float("nan"), float("-inf")], False, {"bad": 2, "size": 3, "negative": False}),
        ([1.0, -2.0, 0.0], True, {"bad": 1, "size": 3, "negative": True}),
        # A sum that overflows is no value that is not finite.
        ([3e38, 3e38], False, None),
    ],
)
def test_what_is_wrong(values: list[float], variances: bool, found: dict[str, Any] | None) -> None:
    assert wrong(np.array(values, np.float32), variances) == found  # type: ignore[no-untyped-call]
