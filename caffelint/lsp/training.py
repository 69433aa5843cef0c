"""What training does to a layer: whether a loss reaches it, and what it begins with."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.states import TRAIN
from caffelint.numerics.scales import Scales, scales
from caffelint.report.scales_table import number

_TABLE = "_table_of_scales"


def gradient_flow(built: BuiltNet, layer: BuiltLayer) -> str:
    """Does it run backward, and if not, why; empty for a layer that has nothing to pass a gradient to."""
    if not layer.bottoms:
        return ""
    frozen = bool(layer.params) and all(param.lr_mult == 0 for param in layer.params or ())
    kept = "; lr_mult 0, so its parameters stay as they are" if frozen else ""
    if layer.need_backward:
        return f"runs backward{kept}"
    if not _leads_to_a_loss(built, layer):
        return "no backward pass: no loss depends on it"
    return f"no backward pass: no gradient is needed, or none arrives{kept}"


def _leads_to_a_loss(built: BuiltNet, layer: BuiltLayer) -> bool:
    """Does a loss, or a layer of a type that nobody knows, depend on it?"""
    under: set[Blob] = set()
    for one in reversed(built.layers):
        if not one.known or any(one.loss_weights) or not under.isdisjoint(one.tops):
            if one is layer:
                return True
            under.update(one.bottoms)
    return False


def beginning(built: BuiltNet, layer: BuiltLayer) -> Iterator[str]:
    """The expected size of the values and gradients of its tops before the first update, where that is known.

    built: of a net that is not loaded from weights.
    """
    table = _table(built) if TRAIN in built.phases and built.is_sound else None
    for row in table.rows if table else ():
        if row.layer is layer and row.size is not None and row.mean is not None:
            gradient = "" if row.gradient is None else f", its gradient {number(row.gradient)}"
            guessed = " (the scale of the data is guessed)" if table and table.assumed else ""
            yield f'- before the first update "{row.blob}" is about {number(row.size)}{gradient}{guessed}'
    for first in table.losses if table else ():
        if first.layer is layer:
            guess = "" if first.guess is None else f"; the best constant has {number(first.guess)}"
            yield f"- first loss {number(first.value)}{guess}"


def _table(built: BuiltNet) -> Scales | None:
    """Made once for a build; None where the numbers are beyond what can be told."""
    if _TABLE not in built.__dict__:
        try:
            built.__dict__[_TABLE] = scales(built)
        except ArithmeticError:
            built.__dict__[_TABLE] = None
    table: Scales | None = built.__dict__[_TABLE]
    return table
