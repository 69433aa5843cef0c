"""Along which axis what a recurrent layer reads goes on."""

from __future__ import annotations

from caffelint.smoke.rule import Stepped

from ._numbers import number

_CLEARLY, _TIMES = 0.1, 4.0
"""The correlation of neighbours along the items, and by how much it is more than along the steps."""
_TOLD = 0.1
"""Of the spread of values, what goes with labels a few items on."""


def mixed_up(one: Stepped) -> str:
    """How it is seen that items were taken for steps; empty where it is not."""
    if _is_reshaped(one):
        how = f"goes on from item to item (neighbours correlate by {number(one.along_items)}) and not from step to step"
        return f"{how} ({number(one.along_steps)})"
    if one.told_items > max(_TOLD, _TIMES * abs(one.told_steps)):
        how = f"goes with labels a few items on ({number(one.told_items)} of its spread) and not a few steps on"
        return f"{how} ({number(one.told_steps)})"
    return ""


def _is_reshaped(one: Stepped) -> bool:
    """Does it go on along the items, and farther yet where the same numbers are read as items x steps?"""
    along, read = one.along_items, one.reshaped
    return along > max(_CLEARLY, _TIMES * abs(one.along_steps)) and read > max(along, _TIMES * abs(one.reshaped_items))
