"""Words that findings share."""

from __future__ import annotations

from collections.abc import Sequence

_LISTED = 3


def listed(names: Sequence[str]) -> str:
    """`a, b, c and 174 more`."""
    shown = ", ".join(names[:_LISTED])
    return shown if len(names) <= _LISTED else f"{shown} and {len(names) - _LISTED} more"
