"""What the tops of a net's data layers hold, pass by pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from caffelint.smoke.job import SYNTHETIC, Input, Job
from caffelint.smoke.synthetic import batch

if TYPE_CHECKING:
    from caffelint.smoke.torch.sources import Source


class Feed:
    """Synthetic batches by their number, real ones in the order of their source."""

    def __init__(self, job: Job, net: int, sources: Sequence[Source], device: torch.device) -> None:
        self.planned = [item for item in job.inputs if item.net == net and item.source == SYNTHETIC]
        self.seed = job.seed
        self.batches = max(1, job.batches)
        self.sources = sources
        self.device = device
        self.made: dict[int, dict[str, Tensor]] = {}
        self.skips = frozenset(job.skips if net == 0 else ())
        self.read = 0
        """How many batches were read of its sources, those that were left out among them."""

    def next(self, number: int) -> dict[str, Tensor]:
        """The tops of the next pass by name; number: of the iteration."""
        number = max(0, number) % self.batches
        if number not in self.made:
            self.made[number] = {item.top: self._tensor(item, number) for item in self.planned}
        self.read += 1
        if not self.sources:
            return self.made[number]
        return {**self.made[number], **self._real()}

    def leave_out(self, batches: int) -> None:
        """Read what is to be left out of the next batches."""
        while self.skips & {*range(self.read, self.read + batches)}:
            self.read += 1
            for source in self.sources:
                source.next()

    def _tensor(self, item: Input, number: int) -> Tensor:
        values: Any = batch(item._asdict(), self.seed, number)  # type: ignore[no-untyped-call]
        return torch.from_numpy(values).to(self.device)

    def _real(self) -> dict[str, Tensor]:
        return {
            name: torch.from_numpy(values).to(self.device)
            for source in self.sources
            for name, values in source.next().items()
        }

    def holds_the_same_as(self, other: Feed) -> bool:
        """Does one batch of both have the same values under every name? Real data never counts as the same."""
        shapes = {item.top: item._replace(net=0, layer="", kind="") for item in self.planned}
        others = {item.top: item._replace(net=0, layer="", kind="") for item in other.planned}
        return bool(shapes) and not self.sources and not other.sources and shapes == others
