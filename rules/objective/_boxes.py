"""Layers that predict boxes, and what tells of how many classes those are."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from caffelint.lint import TRAIN, Layer, Net, Source, source

from ._graph import class_count

_VALUES = (4, 2, 5)
"""Values of a box; of a window in time, which has two ends; of a box that is turned."""
AGNOSTIC = 2
"""Where boxes are class-agnostic, background and object alone, whatever the number of classes of the labels."""
Regressed = dict[int, list[tuple[Layer, Layer]]]
"""By the layer that makes the targets, each layer that predicts boxes for them, with that layer."""


def regressed(net: Net) -> Regressed:
    """The layers of a net that predict boxes, by those that make their targets."""
    found: Regressed = {}
    for loss in net.layers_of([type_ for type_ in net.by_type if type_.startswith("SmoothL1Loss")]):
        boxes, targets = trained_source(loss, 0), trained_source(loss, 1)
        if boxes and targets and boxes.layer.type == "InnerProduct":
            found.setdefault(targets.layer.index, []).append((boxes.layer, targets.layer))
    return found


def are_left_over(pairs: Sequence[tuple[Layer, Layer]], classes: int) -> bool:
    """Are there boxes, and none for these classes? Where one fits, others predict no boxes."""
    return bool(pairs) and all(class_count(boxes) not in [of * classes for of in _VALUES] for boxes, _ in pairs)


def _unchanged(layer: Layer) -> bool:
    return bool(layer.kind.hands_on and layer.kind.keeps_channels)


def trained_source(layer: Layer, bottom: int, through: Callable[[Layer], bool] = _unchanged) -> Source | None:
    """Who makes a bottom in TRAIN, or in the only phase that the layer is part of."""
    phases = layer.phases
    return source(layer, bottom, TRAIN if TRAIN in phases or not phases else phases[0], through)
