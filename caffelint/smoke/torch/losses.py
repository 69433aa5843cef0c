"""Of several losses, the gradient that each alone gives the parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager

from torch import Tensor

from caffelint.smoke.events import LossGradient
from caffelint.smoke.torch.net import TorchNet

_MOST = 8


def alone(
    net: TorchNet, batch: Mapping[str, Tensor], random: Tensor, precision: AbstractContextManager[object]
) -> Iterator[LossGradient]:
    """One pass for each loss, on the same batch and with the same random numbers; leaves no gradients.

    Nothing for a net whose own code would read other data each time, or keep a state.
    """
    if not 1 < len(net.losses) <= _MOST or any(layer.type == "Python" for layer in net.built.layers):
        return
    for name, _ in net.losses:
        net.clear_gradients()
        net.generator.set_state(random)
        with precision:
            net.forward(dict(batch))
        net.backward(only=name)
        gradients = [(param, param.data.grad) for param in net.params if param.index == 0]
        sizes = {param.layer.name: 0.0 if one is None else float(one.double().norm()) for param, one in gradients}
        yield LossGradient(name, sizes)
    net.clear_gradients()
