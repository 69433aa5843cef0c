"""BatchNorm layers of a TEST net that normalise by the batch that is tested, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from caffelint.lint import titles
from caffelint.smoke.rule import BuiltLayer, Run

_FEW = 4
"""Records, whose statistics are far from those of TRAIN."""


def taking_own(run: Run, net: int) -> list[BuiltLayer]:
    """Those of one net."""
    return [layer for layer in run.built[net].layers if layer.type == "BatchNorm" and _takes_own(layer)]


def why_own(run: Run, net: int, layers: Sequence[BuiltLayer]) -> str:
    """What they do to the answers, and what to do about it."""
    shapes = [(layer, layer.bottoms[0].shape) for layer in layers]
    size = max((shape[0] for _, shape in shapes if shape), default=0)
    batch = f"TEST batch of {size}" if 0 < size <= _FEW else "TEST batch"
    # One value a channel is its own mean.
    zero = [layer for layer, shape in shapes if size == 1 and shape and len(shape) > 1 and prod(shape[2:]) == 1]
    give = "give" if len(zero) > 1 else "gives"
    gives = f", so {titles(zero)} {give} 0 for every record" if zero else ""
    if zero and len(zero) == len(layers):
        gives = ", which gives 0 for every record"
    each = " in each" if len(layers) > 1 else ""
    normalise = "normalise" if len(layers) > 1 else "normalises"
    return f"{titles(layers)} {normalise} by the {batch} itself{gives}; remove use_global_stats{each}"


def _takes_own(layer: BuiltLayer) -> bool:
    parameters = layer.parameters
    return bool(parameters.HasField("use_global_stats") and not parameters.use_global_stats)
