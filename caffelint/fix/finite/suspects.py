"""Which blobs are most likely to turn nan or inf first, by what the net and the rules know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from caffelint.caffe.layers import REGISTRY, UnknownLayer
from caffelint.caffe.net import Layer, Net
from caffelint.caffe.values import UNKNOWN, Hazard, Values
from caffelint.fix.finite.spots import Spot
from caffelint.lint.words import title, titles

MOST = 30
"""More of them slow the run down for little: the first bad blob ends it."""


class Suspicion(NamedTuple):
    """Lower ranks come first. `bottoms`: also check what the layer reads, where its bad gradient shows."""

    rank: int
    reason: str
    bottoms: bool


def feeds_losses(spots: Sequence[Spot]) -> dict[Spot, str]:
    """What losses read, with the loss as the reason."""
    found = {}
    for spot in spots:
        losses = [reader for reader in spot.readers if is_loss(reader)]
        if losses and not spot.loss:
            found[spot] = f"read by {titles(losses)}"
    return found


def suspects(
    net: Net, spots: Sequence[Spot], findings: Mapping[str, str] | None = None
) -> tuple[dict[Spot, str], list[str]]:
    """The suspects with the reason for each, the most likely first, and a line that names the rest, if any."""
    ranked: dict[Spot, tuple[int, str]] = {}

    def suspect(spot: Spot, rank: int, reason: str) -> None:
        if not spot.loss and (spot not in ranked or rank < ranked[spot][0]):
            ranked[spot] = rank, reason

    for spot, reason in feeds_losses(spots).items():
        suspect(spot, 1, reason)
    written: dict[int, list[Spot]] = {}
    read: dict[int, list[Spot]] = {}
    for spot in spots:
        for layer in spot.makers:
            written.setdefault(layer.index, []).append(spot)
        for layer in (*spot.readers, *spot.makers[1:]):
            read.setdefault(layer.index, []).append(spot)
    values = _bottom_values(net)
    for layer in net.layers:
        for found in _suspicions(layer, values.get(layer.index, UNKNOWN), findings or {}):
            for spot in (*written.get(layer.index, ()), *(read.get(layer.index, ()) if found.bottoms else ())):
                suspect(spot, found.rank, found.reason)
    order = sorted(ranked, key=lambda spot: (ranked[spot][0], spot.layer.index, spot.top))
    rest = ", ".join(dict.fromkeys(f'"{spot.blob}"' for spot in order[MOST:]))
    left_out = [f"less likely suspects, which --check-finite=all checks: {rest}"] if rest else []
    return {spot: ranked[spot][1] for spot in order[:MOST]}, left_out


def is_loss(layer: Layer) -> bool:
    """Whether its top is a loss; an unknown type is judged by its name."""
    weights = list(layer.message.loss_weight)
    known = REGISTRY.get(layer.type, UnknownLayer)
    return any(weights) if weights and not known.is_loss else known.is_loss or "Loss" in layer.type


def _bottom_values(net: Net) -> dict[int, Values]:
    """What is known of the values of each layer's first bottom, in any phase."""
    found: dict[int, Values] = {}
    for built in net.states():
        facts = built.values
        for layer in built.layers:
            if layer.index is not None and layer.bottoms:
                values = facts.get(layer.bottoms[0], UNKNOWN)
                found[layer.index] = found[layer.index].or_else(values) if layer.index in found else values
    return found


def _suspicions(layer: Layer, values: Values, findings: Mapping[str, str]) -> Iterator[Suspicion]:
    if layer.name and layer.name in findings:
        yield Suspicion(0, f"caffelint check reports {findings[layer.name]} for {title(layer)}", True)
    hazard = Hazard.LENGTH if layer.type in _LENGTHS else layer.kind.hazard(values)
    if hazard is not None:
        rank, words, bottoms = _WORDS[hazard]
        power = layer.param("power_param").power
        yield Suspicion(rank, f"{title(layer)} {words.format(power=power)}", bottoms)
    if not layer.bottoms and layer.type != "Parameter":
        yield Suspicion(5, "an input, where bad data comes in", False)
    elif layer.type == "Python":
        yield Suspicion(6, f"{title(layer)} runs code that caffelint does not read", False)


_LENGTHS = ("NormalizeLayer", "L2Normalization")
"""Types of forks that divide by the norm of their input; nothing else is known about them."""
_WORDS = {
    Hazard.LOG: (2, "gives nan or -inf for values that are not above 0", True),
    Hazard.OVERFLOW: (2, "gives inf for large values", True),
    Hazard.NEGATIVE_POWER: (2, "gives inf for 0 (power {power:g})", True),
    Hazard.ROOT: (2, "gives nan for negative values, and an infinite gradient at 0 (power {power:g})", True),
    Hazard.FRACTIONAL_POWER: (2, "gives nan for negative values (power {power:g})", True),
    Hazard.LENGTH: (2, "divides by the norm of its input, which may be 0", True),
    Hazard.STATISTICS: (3, "uses stored statistics; blank or broken ones give nan or inf", False),
    Hazard.SUM_OF_SQUARES: (4, "divides by (k + alpha * sum of squares) ^ beta", False),
}
"""The rank of each, what it does, and whether what the layer reads is suspect as well."""
