"""Layers that bring values into a net: what they bring is given to the net, for each pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from caffelint.caffe.layers import types_that
from caffelint.smoke.torch.base import REGISTRY, TorchLayer, register

if TYPE_CHECKING:
    from torch import Tensor


class FromOutside(TorchLayer):
    """A layer whose tops are made by others."""

    takes_input = True

    def read(self, inputs: Mapping[str, Tensor]) -> Sequence[Tensor]:
        return [self._given(inputs, name) for name in self.spec.top_names]

    def _given(self, inputs: Mapping[str, Tensor], name: str) -> Tensor:
        given = inputs.get(name)
        if given is None:
            raise self.error(f'no data was given for its top "{name}"')
        return given if given.device == self.device else given.to(self.device)


@register
class Input(FromOutside):
    pass


@register
class Data(FromOutside):
    pass


@register
class ImageData(FromOutside):
    pass


@register
class HDF5Data(FromOutside):
    pass


@register
class WindowData(FromOutside):
    pass


@register
class MemoryData(FromOutside):
    pass


@register
class DummyData(FromOutside):
    """Fills its tops itself where they are not given; constants once, all else anew in each pass."""

    def set_up(self) -> None:
        self.tops: list[Tensor] = []

    def read(self, inputs: Mapping[str, Tensor]) -> Sequence[Tensor]:
        first = not self.tops
        if first:
            self.tops = [torch.zeros(blob.shape or (), device=self.device) for blob in self.spec.tops]
        fillers: Any = self.p.data_filler
        for index, top in enumerate(self.tops):
            filler = fillers[min(index, len(fillers) - 1)] if fillers else None
            if filler is not None and (first or filler.type != "constant"):
                self.fill(top, filler, self.generator)
        return [inputs.get(name, top) for name, top in zip(self.spec.top_names, self.tops, strict=True)]


@register
class Parameter(TorchLayer):
    """A learnable blob of its own, which starts at 0."""

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return [self.params[0].view(self.params[0].shape)]


@register
class HDF5Output(TorchLayer):
    """Writes nothing here: a trial run leaves no files."""

    def forward(self, bottoms: list[Tensor]) -> Sequence[Tensor]:
        return []


# What the data layers of forks make is planned and put in, as for all others.
REGISTRY.update(dict.fromkeys(types_that(lambda kind: kind.is_data and kind.fork), FromOutside))
