"""Fills parameters as Caffe's fillers do, in distribution (filler.hpp); the numbers are those of a torch generator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

FAN_OUT, AVERAGE = 1, 2


def fill(tensor: Tensor, filler: Any, generator: Generator) -> None:
    """Fill a tensor in place as a FillerParameter says.

    The generator is of the tensor's device. KeyError for a type that Caffe 1.0 does not have; what else
    a filler refuses, see `caffelint.caffe.fillers`.
    """
    with torch.no_grad():
        FILLERS[filler.type](tensor, filler, generator)


def _constant(tensor: Tensor, filler: Any, generator: Generator) -> None:
    tensor.fill_(filler.value)


def _uniform(tensor: Tensor, filler: Any, generator: Generator) -> None:
    _uniform_between(tensor, filler.min, filler.max, generator)


def _uniform_between(tensor: Tensor, low: float, high: float, generator: Generator) -> None:
    # torch refuses a range that is wider than the largest float.
    tensor.uniform_(0, 1, generator=generator).mul_(high - low).add_(low)


def _gaussian(tensor: Tensor, filler: Any, generator: Generator) -> None:
    tensor.normal_(filler.mean, filler.std, generator=generator)
    if filler.sparse >= 0:
        kept = torch.empty_like(tensor).bernoulli_(filler.sparse / tensor.shape[0], generator=generator)
        tensor.mul_(kept)


def _positive_unitball(tensor: Tensor, filler: Any, generator: Generator) -> None:
    rows = tensor.uniform_(0, 1, generator=generator).view(tensor.shape[0], -1)
    rows.div_(rows.sum(1, keepdim=True))


def _fan(tensor: Tensor, filler: Any) -> float:
    """What the variance is divided by; a blob with one axis has a fan_in of 1 (XavierFiller, MSRAFiller)."""
    fan_in = tensor.numel() // tensor.shape[0]
    fan_out = tensor.numel() // tensor.shape[1] if tensor.dim() > 1 else tensor.numel()
    if filler.variance_norm == AVERAGE:
        return (fan_in + fan_out) / 2
    return fan_out if filler.variance_norm == FAN_OUT else fan_in


def _xavier(tensor: Tensor, filler: Any, generator: Generator) -> None:
    bound = math.sqrt(3 / _fan(tensor, filler))
    _uniform_between(tensor, -bound, bound, generator)


def _msra(tensor: Tensor, filler: Any, generator: Generator) -> None:
    tensor.normal_(0, math.sqrt(2 / _fan(tensor, filler)), generator=generator)


def _bilinear(tensor: Tensor, filler: Any, generator: Generator) -> None:
    size = tensor.shape[-1]
    factor = (size + 1) // 2
    centre = (size - 1) / (2 * factor)
    line = 1 - (torch.arange(size, dtype=torch.float32, device=tensor.device) / factor - centre).abs()
    tensor.copy_(line[:, None] * line)


FILLERS: dict[str, Callable[[Tensor, Any, Generator], None]] = {
    "constant": _constant,
    "uniform": _uniform,
    "gaussian": _gaussian,
    "positive_unitball": _positive_unitball,
    "xavier": _xavier,
    "msra": _msra,
    "bilinear": _bilinear,
}
