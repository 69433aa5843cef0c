"""Which layers run backward, and which bottoms get a gradient: the second half of Net::Init in net.cpp."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caffelint.caffe.built_net import BuiltNet


def find_gradient_flow(built: BuiltNet) -> None:
    """Clear need_backward and propagate_down where no loss asks for them (the second half of Net::Init)."""
    under_loss: set[str] = set()
    skipped: set[str] = set()
    for layer in reversed(built.layers):
        # A layer of unknown type may be a loss.
        contributes = not layer.known or (bool(layer.loss_weights) and any(layer.loss_weights))
        skip = layer.known
        for blob in layer.tops:
            name = blob.name
            if name in under_loss:
                contributes = True
            if name not in skipped:
                skip = False
        if skip and layer.need_backward or not contributes:
            layer.need_backward = False
            layer.propagate_down = [False] * len(layer.bottoms)
        for blob, propagates in zip(layer.bottoms, layer.propagate_down, strict=False):
            if contributes:
                under_loss.add(blob.name)
            if not propagates:
                skipped.add(blob.name)
    if built.message.force_backward:
        for layer in built.layers:
            layer.need_backward = True
            layer.propagate_down = [
                flow or layer.allows_force_backward(index) for index, flow in enumerate(layer.propagate_down)
            ]
