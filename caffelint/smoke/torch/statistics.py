"""Numbers of blobs and parameters, kept on the device until all of an iteration's are fetched at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from caffelint.smoke.events import BLOB, DATA, DIFF, PARAM, Statistics

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.smoke.torch.net import TorchNet

MOST_ZEROS = 1 << 11
"""Zeros are counted among evenly spaced values of a larger blob: counting takes longer than all the rest."""

BLOCK, MOST_BLOCKS = 1 << 10, 1 << 6
"""On a CPU mean and deviation of a blob of more values are those of evenly spaced blocks: memory is what takes long."""

SHRUNK = 1e-30
"""Where all values are smaller, those that are no normal numbers are counted."""

ALIKE = 1e-5
"""Of the largest value: a product of matrices rounds equal rows in different ways."""

SMALL = 1e-15
"""Squares of less are no normal numbers."""


class Summary(NamedTuple):
    """How many values are nan, infinite, and how many there are; least and greatest finite value, nan without one."""

    nan: int
    inf: int
    size: int
    min: float
    max: float

    @property
    def bad(self) -> int:
        return self.nan + self.inf

    @property
    def range(self) -> tuple[float, float, int]:
        """As the `inputs` of an event `non_finite` have it."""
        return self.min, self.max, self.bad


def summary(tensor: Tensor) -> Summary:
    """Fetched at once."""
    values = tensor.detach().float()
    size = values.numel()
    if size == 0:
        return Summary(0, 0, 0, math.nan, math.nan)
    least, most = (float(end) for end in torch.aminmax(values))
    if math.isfinite(least) and math.isfinite(most):
        return Summary(0, 0, size, least, most)
    nan, inf = int(values.isnan().sum()), int(values.isinf().sum())
    finite = values[values.isfinite()]
    ends = [float(end) for end in torch.aminmax(finite)] if finite.numel() else [math.nan, math.nan]
    return Summary(nan, inf, size, *ends)


def measure(tensor: Tensor) -> Tensor:
    """Min, max, mean, mean square, share of zeros and of numbers below the normal ones, and whether all of several
    items are equal, on the device, in double."""
    values = tensor.detach().reshape(-1)
    if values.dtype != torch.float32:
        values = values.float()
    least, most = torch.aminmax(values)
    few = values[:: values.numel() // MOST_ZEROS | 1]
    nonzero = torch.count_nonzero(few)
    sample = _sample(values)
    squares = _squares(sample, least, most)
    if sample is not values and not squares and most > least:
        # Next to all of it is 0.
        sample = values
        squares = _squares(values, least, most)
    total = sample.sum()
    if values.is_cpu:
        # Small tensors take longer than numbers.
        mean, square = float(total) / sample.numel(), float(squares) / sample.numel()
        ends = float(least), float(most)
        zeros = 1 - float(nonzero) / few.numel()
        tiny = float(_below(few)) - zeros if max(-ends[0], ends[1]) < SHRUNK else 0.0
        return torch.tensor([*ends, mean, square, zeros, tiny, float(_same(tensor))], dtype=torch.double)
    share = 1 - nonzero / few.numel()
    tinies = _below(few) - share
    alike = _same(tensor).to(values.dtype)
    return torch.stack([least, most, total / sample.numel(), squares / sample.numel(), share, tinies, alike]).double()


def _same(tensor: Tensor) -> Tensor:
    """Are there several items along the first axis, and are all of them equal?"""
    values = tensor.detach()
    if not values.dim() or len(values) < 2:
        return torch.zeros((), dtype=torch.bool, device=values.device)
    limit = ALIKE * values[0].abs().max()
    ends = ((values[-1] - values[0]).abs() <= limit).all()
    return ends if values.is_cpu and not ends else ((values - values[:1]).abs() <= limit).all()


def _below(values: Tensor) -> Tensor:
    """The share that is 0 or no normal number."""
    return (values.abs() < torch.finfo(torch.float32).tiny).sum() / values.numel()


def _sample(values: Tensor) -> Tensor:
    """A sample of the values."""
    blocks = values.numel() // BLOCK
    if not values.is_cpu or blocks < 8 * MOST_BLOCKS:
        return values
    return values[: blocks * BLOCK].view(blocks, BLOCK)[:: blocks // MOST_BLOCKS].reshape(-1)


def _squares(values: Tensor, least: Tensor, most: Tensor) -> Tensor:
    """The sum of squares. A CPU takes a hundred times as long where they are below the normal numbers: they are 0."""
    if values.is_cpu and max(-float(least), float(most)) < SMALL:
        return torch.zeros(())
    return torch.dot(values, values)


def sums(tensors: Sequence[Tensor]) -> list[Tensor]:
    """A number for each tensor that is finite where all its values are; it may overflow where they are huge."""
    if tensors and tensors[0].is_cuda:
        return list(torch._foreach_norm(list(tensors)))
    return [tensor.sum() for tensor in tensors]


class Collector:
    """Statistics of one iteration. Its methods `on_top` and `on_gradient` are a net's hooks.

    names: blobs and layers that are wanted; None for all. bad: was a value not finite at the last `fetch`?
    Of a blob with several versions the last one's data counts, and the first one's gradient, as Caffe holds them.
    """

    def __init__(self, net: TorchNet, names: frozenset[str] | None) -> None:
        self.names = names
        self.writers = {name: _writer(blob.producer) for name, blob in net.built.blobs.items()}
        self.rows: dict[tuple[str, str, str, str], tuple[int, Tensor]] = {}
        self.hidden: list[Tensor] = []
        """Of versions that another one took the place of."""
        self.bad = False

    def wants(self, *names: str) -> bool:
        return self.names is None or not self.names.isdisjoint(names)

    def on_top(self, layer: BuiltLayer, top: int, data: Tensor) -> None:
        self._blob(layer, top, DATA, data)

    def on_gradient(self, layer: BuiltLayer, top: int, gradient: Tensor) -> None:
        self._blob(layer, top, DIFF, gradient)

    def _blob(self, layer: BuiltLayer, top: int, part: str, values: Tensor) -> None:
        name = layer.tops[top].name
        if self.wants(layer.name, name):
            self.add(self.writers.get(name, layer.name), BLOB, name, part, values)

    def params(self, net: TorchNet, part: str, values: Iterable[tuple[int, Tensor | None]]) -> None:
        """values: by the number of the parameter."""
        for number, tensor in values:
            param = net.params[number]
            if tensor is not None and self.wants(*(user.name for user in param.users)):
                self.add(param.layer.name, PARAM, str(param.index), part, tensor)

    def add(self, layer: str, kind: str, name: str, part: str, values: Tensor) -> None:
        if values.numel():
            key = layer, kind, name, part
            if key in self.rows:
                self.hidden.append(self.rows[key][1])
            self.rows[key] = values.numel(), measure(values)

    def fetch(self, iteration: int) -> list[Statistics]:
        """One event for each that was added since; those with a value that is not finite are left out: see `bad`."""
        if not self.rows:
            return []
        fetched = torch.stack([row for _, row in self.rows.values()]).tolist()
        hidden = torch.stack(self.hidden)[:, :2].tolist() if self.hidden else []
        self.bad = any(not math.isfinite(end) for ends in hidden for end in ends)
        found = []
        for (key, (size, _)), row in zip(self.rows.items(), fetched, strict=True):
            least, most, mean, squares, zeros, tiny, same = row
            if math.isfinite(least) and math.isfinite(most):
                if zeros == 1 and (least or most):
                    zeros = 1 - 1 / size  # none of the sample was another, and yet there are some
                mean = min(max(mean, least), most)
                # No values between two ends spread wider than half way; what overflows, cancels or is tiny gets that.
                widest = (most - least) / 2
                spread = min(math.sqrt(max(squares - mean * mean, 0)), widest) if squares else widest
                tiny = tiny if max(-least, most) < SHRUNK else 0.0
                found.append(Statistics(iteration, *key, least, most, mean, spread, zeros, tiny, same == 1))
            else:
                self.bad = True
        self.rows = {}
        self.hidden = []
        return found


def _writer(layer: BuiltLayer | None) -> str:
    while layer is not None and layer.message is None:
        layer = layer.bottoms[0].producer
    return layer.name if layer is not None else ""
