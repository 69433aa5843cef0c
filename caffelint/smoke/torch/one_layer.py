"""One layer of a net by itself, at what it read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from caffelint.smoke.pulled import Doing, Mined, Pulled
from caffelint.smoke.torch.python import Python

if TYPE_CHECKING:
    from caffelint.caffe.layers import BuiltLayer
    from caffelint.caffe.net_parts import Blob
    from caffelint.smoke.job import Check
    from caffelint.smoke.torch.base import TorchLayer
    from caffelint.smoke.torch.net import TorchNet


class OneLayer:
    """A layer as gradients.py and pulls.py want it."""

    def __init__(self, layer: TorchLayer, bottoms: list[Tensor]) -> None:
        self.layer = layer
        layer.in_place = False
        self.tensors = [values.detach().clone() for values in bottoms]
        self.bottoms = [array(values) for values in bottoms]
        self.params = [array(values).copy() for values in layer.params]

    def forward(self) -> list[Any]:
        with torch.no_grad():
            self._take()
            tops = self.layer.forward([values.clone() for values in self.tensors])
        return [array(top) for top in tops]

    def backward(self, weights: list[Any], before: float, restored: bool = False) -> tuple[list[Any], list[Any]]:
        with torch.no_grad():
            self._take()
        if isinstance(self.layer, Python):
            self.layer.fill_diffs(before)
        bottoms = [values.clone().requires_grad_() for values in self.tensors]
        with torch.enable_grad():
            # A layer in place must not overwrite a leaf.
            tops = self.layer.forward([values.view_as(values) for values in bottoms])
        if restored and isinstance(self.layer, Python):
            self.layer.fill_bottoms(self.bottoms)
        pairs = [(top, weight) for top, weight in zip(tops, weights, strict=True) if weight is not None]
        roots = [top for top, _ in pairs if top.requires_grad]
        ones = [torch.from_numpy(weight).to(top) for top, weight in pairs if top.requires_grad]
        params = [values for values in self.layer.params if values.requires_grad]
        found = torch.autograd.grad(roots, [*bottoms, *params], ones, allow_unused=True) if roots else ()
        gradients: dict[int, Any] = dict(zip(map(id, [*bottoms, *params]), found, strict=False))
        return ([_grad(gradients, one) for one in bottoms], [_grad(gradients, one) for one in self.layer.params])

    def _take(self) -> None:
        """What gradients.py has written into the copies."""
        for values, copy in zip([*self.tensors, *self.layer.params], [*self.bottoms, *self.params], strict=True):
            values.detach().copy_(torch.from_numpy(copy).to(values))


def _grad(gradients: dict[int, Any], tensor: Tensor) -> Any:
    found = gradients.get(id(tensor))
    return None if found is None else array(found)


def array(values: Tensor) -> Any:
    return values.detach().float().cpu().numpy()


def one_by_one(net: TorchNet, batch: dict[str, Tensor], checks: Sequence[Check]) -> Iterator[tuple[Check, OneLayer]]:
    """Each layer that is to be checked, at what it reads of a batch."""
    wanted = {check.layer: check for check in checks}
    layers = [layer for layer in net.layers if layer.name in wanted]
    read = {blob.original for layer in layers for blob in layer.spec.bottoms}
    data: dict[Blob, Tensor] = {}

    def forward(layer: BuiltLayer, top: int, values: Tensor) -> None:
        if layer.tops[top] in read:
            data[layer.tops[top]] = values.clone()

    net.on_top = forward
    net.forward(batch)
    net.on_top = None
    for layer in layers:
        yield wanted[layer.name], OneLayer(layer, [data[blob.original] for blob in layer.spec.bottoms])


def own_doings(layer: OneLayer, check: Check, seed: int) -> Iterator[Doing]:
    """What it does to scores and labels, if it is the user's own (pulls.py, mined.py)."""
    from caffelint.smoke import mined, pulls

    pulled: Any = pulls.pulls(layer, check._asdict(), seed)  # type: ignore[no-untyped-call]
    if pulled is not None:
        yield Pulled(**pulled)
    keeps: Any = mined.mined(layer, check._asdict(), seed)  # type: ignore[no-untyped-call]
    if keeps is not None:
        yield Mined(**keeps)
