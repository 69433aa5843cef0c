"""Words that findings share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

_LISTED = 3


def listed(names: Sequence[str]) -> str:
    """`a, b, c and 174 more`."""
    shown = ", ".join(names[:_LISTED])
    return shown if len(names) <= _LISTED else f"{shown} and {len(names) - _LISTED} more"


class _Named(Protocol):
    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...


def title(layer: _Named) -> str:
    """A layer as the subject of a message: `Pooling "pool5"`."""
    return f'{layer.type or "layer"} "{layer.name}"' if layer.name else f"{layer.type} layer".strip()
