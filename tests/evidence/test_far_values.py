"""What is far from the other records: fifty times, or the same value again and again twenty times."""

from __future__ import annotations

import numpy as np
import pytest

from caffelint.evidence.data.seen import _farthest
from caffelint.evidence.data.values import Farthest

USUAL = np.linspace(-1, 1, 600, dtype=np.float64)


def farthest(*far: float) -> Farthest:
    values = USUAL.copy()
    values[: len(far)] = far
    found = _farthest(values.reshape(-1, 1), str)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("far", "is_far"),
    [
        ((-30, -30, -30), True),
        ((-30,), False),  # once, it may be what it says
        ((-30, -29, -30), False),
        ((30, 30, 12, 7, 4), False),  # a tail that was cut off
        ((-15, -15, -15), False),
        ((-60,), True),
    ],
)
def test_far(far: tuple[float, ...], is_far: bool) -> None:
    assert farthest(*far).is_far is is_far


def test_parts_are_joined() -> None:
    both = farthest(-30, -30).join(farthest(-30, -30, -30))
    assert (both.is_far, both.more) == (True, 4)
    assert farthest(-30, -30).join(farthest()).is_far
    assert not farthest(-30, -30).join(farthest(-29, -29)).is_far
