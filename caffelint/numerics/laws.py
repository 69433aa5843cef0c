"""Which figure of a net tells the rate at which it no longer learns."""

from __future__ import annotations

from typing import Any

from caffelint.numerics.reach import heat_of_reach
from caffelint.numerics.start import Start
from caffelint.numerics.updates import SCALED


def heat_by_law(first: Start, solver: Any, rate: float) -> float | None:
    """The heat of a net before its weights have grown, where something other than the two largest updates tells it."""
    if solver.type in SCALED and not any(layer.is_distance for layer in first.losses):
        return heat_of_reach(first, solver, rate)
    return None
