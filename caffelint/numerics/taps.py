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


def read(layer: Any, bottom: tuple[int, ...], top: tuple[int, ...]) -> float:
    """Pixels that a window of a convolution reads on average. bottom, top: the sizes of its maps."""
    if _READ not in layer.__dict__:
        axes = zip(bottom, layer.kernel, layer.stride, layer.pad, layer.dilation, top, strict=True)
        layer.__dict__[_READ] = prod([side(*numbers) for numbers in axes])
    found: float = layer.__dict__[_READ]
    return found


def written(layer: Any) -> float:
    """Pixels that one of a deconvolution writes to on average: what a convolution the other way round reads."""
    bottom, top = (blob.shape[layer.channel_axis + 1 :] for blob in (layer.bottoms[0], layer.tops[0]))
    return read(layer, top, bottom)


_READ = "_read"
