"""Names that are like one that nobody has."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest

_LONGEST = 200
"""Characters of a name. difflib takes the cube of the length where two long ones are alike."""
_MOST = 1_000_000
"""Characters that are looked at, and products of the lengths of names that are compared letter by letter: a hundred
names of twenty letters are held against a dozen of others, and 25 that are as long as may be against one.
"""


class Compared:
    """How much may still be compared, of one net or module: `net.once(Compared)`."""

    def __init__(self, _of: object = None) -> None:
        self.left = _MOST


def near(
    wrong: str, names: Iterable[str], most: int = 1, cutoff: float = 0.75, within: Compared | None = None
) -> list[str]:
    """Those that are most like it, the nearest first, as `difflib.get_close_matches` has them.

    None for a name that is longer than people write, or where there is more to compare than `within` has left: of
    thousands of names, nobody means any.
    """
    from difflib import SequenceMatcher

    within = Compared() if within is None else within
    if len(wrong) > _LONGEST:
        return []
    found: list[tuple[float, str]] = []
    matcher = SequenceMatcher(None, "", wrong)
    for name in names:
        if within.left < 0:
            return []
        if len(name) > _LONGEST:
            continue
        matcher.set_seq1(name)
        if matcher.real_quick_ratio() < cutoff:
            continue
        within.left -= len(name)
        if matcher.quick_ratio() < cutoff:
            continue
        within.left -= len(name) * len(wrong)
        if within.left >= 0 and (ratio := matcher.ratio()) >= cutoff:
            found.append((ratio, name))
    return [name for _, name in nlargest(most, found)] if within.left >= 0 else []
