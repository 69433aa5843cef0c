"""What float16 cannot hold of a net, for rules that judge it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caffelint.lint.numerics import drawn, given, is_unscaled
from caffelint.numerics.half import FLOAT16, LARGEST, Lost, Overflow, lost, overflow
from caffelint.numerics.judgement import Cure, cures_of
from caffelint.numerics.start import start
from caffelint.text.records import NamedTuple

if TYPE_CHECKING:
    from caffelint.caffe.net import Net
    from caffelint.caffe.solver import Solver

__all__ = ["LARGEST", "Half", "Lost", "Overflow", "half"]


class Half(NamedTuple):
    """What is beyond its range, and the changes each of which mends it by itself."""

    found: Overflow | Lost
    cures: tuple[Cure, ...] = ()


def half(solver: Solver) -> Half | None:
    """What a net loses that NVCaffe keeps in float16; None where that is nothing, or nobody knows."""
    net = solver.train_net
    if net is None or not net.once(_asks_for_half):
        return None
    built = drawn(net)
    if built is None or not all(top.shape for top in built.inputs):
        return None
    try:
        known = net.once(given)
        begin = start(built, known)
        large = overflow(built, begin)
        if large is None:
            small = lost(built, begin)
            return Half(small) if small else None
        if large.assumed and any(is_unscaled(layer, known.signals) for layer in built.layers):
            return None
        fits = cures_of(built, solver.message, known, lambda _, change: overflow(built, start(built, change)) is None)
    except ArithmeticError:  # beyond what can be told
        return None
    return Half(large, tuple(cure for cure in fits if cure.layer is not None))


def _asks_for_half(net: Net) -> bool:
    if FLOAT16 in (net.message.default_forward_type, net.message.default_backward_type):
        return True
    return any(FLOAT16 in (layer.message.forward_type, layer.message.backward_type) for layer in net.layers)
