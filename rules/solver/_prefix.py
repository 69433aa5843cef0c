"""What a prefix of snapshots has to do with other paths of its solver."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from caffelint.lint import are_near

_LONG = 4
"""Letters of a folder's name, from which on one that is like it is a slip for it."""
_MOST = 50


def slip(prefix: str, others: Iterable[str]) -> tuple[str, str]:
    """The folder that a prefix leads to and another path does not, spelt nearly alike, and that other one.

    Where the folders before it and the next one are the same, the two are meant to be one; empty if there is none.
    """
    mine = prefix.split("/")[:-1]
    for other in islice(others, _MOST):
        theirs = other.split("/")[:-1]
        at = next((at for at, (one, two) in enumerate(zip(mine, theirs, strict=False)) if one != two), 0)
        if not at or mine[at + 1 : at + 2] != theirs[at + 1 : at + 2] or at + 1 >= len(mine):
            continue
        one, two = mine[at], theirs[at]
        if min(len(one), len(two)) >= _LONG and (are_near(one, two) or _begins(one, two) or _begins(two, one)):
            return "/".join(mine[: at + 1]), "/".join(theirs[: at + 1])
    return "", ""


def _begins(one: str, two: str) -> bool:
    """Is one name the beginning of another, which goes on with letters, as no version of it does?"""
    return two.startswith(one) and two[len(one) :].isalpha()
