"""What is far from the other records: fifty times, or the same value again and again twenty times."""

from __future__ import annotations

import numpy as np
import pytest

from caffelint.evidence.data.farthest import farthest_of
from caffelint.evidence.data.values import Farthest

USUAL = np.linspace(-1, 1, 600, dtype=np.float64)


def farthest(*far: float) -> Farthest:
    values = USUAL.copy()
    values[: len(far)] = far
    found = farthest_of(values.reshape(-1, 1), str)
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


def test_in_one_column() -> None:
    """Beside a column of another scale no record stands out as a whole."""
    rows = np.stack([500 * USUAL, USUAL], axis=1)
    whole = farthest_of(rows, str)
    assert whole
    assert not whole.is_far
    for missing in ([3, 50], [*range(200)]):
        gaps = rows.copy()
        gaps[missing, 1] = -99
        found = farthest_of(gaps, str)
        assert found
        assert found.is_far
        assert (found.column, found.value, found.more) == (1, -99, len(missing) - 1)
        assert whole.join(found) == found.join(whole) == found


def test_a_corner_of_images_is_no_column() -> None:
    """It is 0 in nearly all, and by chance all kinds of values in some."""
    pixels = np.zeros((600, 9))
    pixels[:, 4] = USUAL
    pixels[5, 0], pixels[7:9, 0] = 0.003, 1.0
    found = farthest_of(pixels, str)
    assert found
    assert not found.is_far
