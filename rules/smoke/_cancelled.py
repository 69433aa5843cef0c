"""What float32 leaves of the difference of two large numbers."""

from __future__ import annotations

import math

from caffelint.lint import CERTAIN, Cause, title
from caffelint.smoke.rule import BLOB, DATA, BuiltLayer, Run

from ._numbers import number

_ROUNDS = 8.0
"""Steps of float32: a difference of no more may be made of them."""


def cancelled(run: Run, layer: BuiltLayer, read_from: tuple[float, float]) -> Cause | None:
    """A difference of numbers so large that float32 leaves nothing but rounding of it, as of a variance by squares."""
    maker = layer.bottoms[0].maker if layer.bottoms else None
    if maker is None or maker.type != "Eltwise" or min(maker.message.eltwise_param.coeff, default=0.0) >= 0:
        return None
    read = [
        run.statistics(-1, blob.producer.name, BLOB, blob.name, DATA)
        for blob in maker.bottoms
        if blob.producer is not None
    ]
    least = min((max(abs(one.min), abs(one.max)) for one in read if one is not None), default=0.0)
    spacing = 2.0 ** (math.floor(math.log2(least)) - 23) if 0 < least < math.inf else 0.0
    if len(read) < 2 or not 0 < max(map(abs, read_from)) <= _ROUNDS * spacing:
        return None
    why = f"{title(maker)} takes numbers of {number(least)} from each other, which float32 tells apart by"
    why += f" {number(spacing)} only, so what it gives is rounding"
    return Cause(
        "input-scale",
        "",
        f"{why}; take an offset off the input before, such as its mean",
        CERTAIN,
        run.place(maker.name),
    )
