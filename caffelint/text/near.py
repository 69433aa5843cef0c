"""Names that are like one that nobody has."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 200
"""Characters of a name. difflib takes the cube of the length where two long ones are alike."""


def near(wrong: str, names: Iterable[str], most: int = 1, cutoff: float = 0.75) -> list[str]:
    """Those that are most like it, the nearest first; none for a name that is longer than people write."""
    from difflib import get_close_matches

    if len(wrong) > _LONGEST:
        return []
    return get_close_matches(wrong, [name for name in names if len(name) <= _LONGEST], most, cutoff)
