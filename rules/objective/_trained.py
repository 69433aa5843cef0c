"""What the losses of a net train as scores of classes."""

from __future__ import annotations

from caffelint.lint import TRAIN, Layer, NamedTuple, Net, Source, source

from ._graph import class_count, keeps_classes

_LONGEST_CHAIN = 50


class Trained(NamedTuple):
    """The last loss of some labels with what makes its scores, and how many classes each loss has; None if unknown."""

    last: tuple[Layer, Source] | None
    counts: set[int | None]


def trained_classes(net: Net) -> dict[tuple[str, str, Source | None], Trained]:
    """What losses of classes train, by phase and labels."""
    found: dict[tuple[str, str, Source | None], Trained] = {}
    for loss in net.layers:
        if len(loss.bottoms) < 2 or not (loss.kind.is_loss and loss.kind.reads_classes(1)):
            continue
        for phase in loss.phases:
            key = phase, loss.bottoms[1], loss.maker(1, phase)
            made = source(loss, 0, phase, keeps_classes)
            known = found.get(key)
            counts = known.counts if known else set()
            counts.add((class_count(made.layer) or None) if made else None)
            found[key] = Trained((loss, made) if made else known.last if known else None, counts)
    return found


def stops_short(made: Source, last: Source, phase: str) -> bool:
    """Are scores made of those that a loss reads, by a chain of layers, and does nothing train what makes them?"""
    if not last.layer.net.once(_gone_on_from).isdisjoint(last.layer.tops):
        return False
    layer = last.layer
    for _ in range(_LONGEST_CHAIN):
        before = source(layer, 0, phase)
        if before is None or len(layer.bottoms) > 1:
            return False
        if before.layer is made.layer:
            return True
        layer = before.layer
    return False


def _gone_on_from(net: Net) -> frozenset[str]:
    """The blobs that anything but Accuracy reads in training."""
    return frozenset(
        blob for layer in net.layers if TRAIN in layer.phases and layer.type != "Accuracy" for blob in layer.bottoms
    )
