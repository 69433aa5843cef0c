"""Whether a net that is called a net for tests may be trained all the same."""

from __future__ import annotations

from caffelint.lint import TRAIN, Net


def is_fed_in_training(net: Net) -> bool:
    """Has it a loss, and data for TRAIN alone? A program may train it, whatever it is called."""
    data = [layer for layer in net.layers if layer.kind.is_data]
    only_trains = bool(data) and all(layer.phases == (TRAIN,) for layer in data)
    return only_trains and any(layer.kind.is_loss for layer in net.layers)
