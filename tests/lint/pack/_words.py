"""What several rules of the pack say."""

from __future__ import annotations


def times(number: int) -> str:
    return f"{number} times"
