"""Which layers of a net learn fastest."""

from __future__ import annotations

from caffelint.lint import Layer, Net

UNUSUAL = 50.0
"""An lr_mult above those of new layers in fine-tuning, 10 and 20."""
_DEEP = 4
"""Layers with weights, of which one is few."""


def fastest_of(net: Net) -> Layer | None:
    """The layer with the largest lr_mult of weights; biases, the second parameter, tolerate twice the rate."""
    return max((layer for layer in net.layers if layer.message.param), key=multiplier, default=None)


def multiplier(layer: Layer) -> float:
    """The lr_mult of its weights."""
    return float(layer.message.param[0].lr_mult) or 1.0


def has_few_fast(net: Net) -> bool:
    """Whether a few new layers on trained ones are given a higher rate than these, as is usual."""
    rates = sorted(multiplier(layer) for layer in net.layers if layer.message.param)
    return len(rates) >= _DEEP and rates[len(rates) * 3 // 4] < rates[-1] < UNUSUAL
