"""Numbers in words."""

from __future__ import annotations


def number(value: float) -> str:
    return f"{value:.4g}"


def extent(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)} to {number(high)}"
