"""How many pixels a window really reads: those of the padding are 0, and not counted."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any


@lru_cache(maxsize=4096)
def side(size: int, kernel: int, stride: int, pad: int, dilation: int, windows: int) -> float:
    """Pixels along one axis that a window reads on average."""
    if not pad and (windows - 1) * stride + dilation * (kernel - 1) < size:
        return float(kernel)
    inside = 0
    for tap in range(kernel):
        first = tap * dilation - pad
        low = max(0, -(first // stride)) if first < 0 else 0
        high = min(windows - 1, (size - 1 - first) // stride) if size - 1 >= first else -1
        inside += max(0, high - low + 1)
    return inside / windows if windows else 0.0


def read(layer: Any) -> float:
    """Pixels that a window of a convolution reads on average."""
    return _of_windows(layer, layer.bottoms[0], layer.tops[0])


def written(layer: Any) -> float:
    """Pixels that one of a deconvolution writes to on average: what a convolution the other way round reads."""
    return _of_windows(layer, layer.tops[0], layer.bottoms[0])


def _of_windows(layer: Any, wide: Any, windows: Any) -> float:
    sizes, counts = (blob.shape[layer.channel_axis + 1 :] for blob in (wide, windows))
    axes = zip(sizes, layer.kernel, layer.stride, layer.pad, layer.dilation, counts, strict=True)
    return prod([side(*numbers) for numbers in axes])
