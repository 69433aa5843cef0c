"""The order in which a net's layers run, and where their blobs are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from caffelint.smoke.torch.normalization import BatchNorm
from caffelint.smoke.torch.scale import Scale, Scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from caffelint.caffe.built_net import BuiltNet
    from caffelint.caffe.net_parts import Blob
    from caffelint.smoke.torch.base import TorchLayer


class Step(NamedTuple):
    """One layer's turn: it reads and writes numbered slots, one for each version of each blob.

    cut: which bottoms pass no gradient down. records: is there a backward? wanted: tops to which a gradient flows.
    """

    layer: TorchLayer
    bottoms: tuple[int, ...]
    tops: tuple[int, ...]
    cut: tuple[int, ...]
    records: bool
    wanted: tuple[int, ...]


class Plan(NamedTuple):
    """steps: one for each layer but inserted splits. fused: the same with pairs of layers as one, where that is faster.

    watched: with those pairs alone that leave out neither the last version of a blob nor the first.

    slot_of: where each version of a blob is stored.

    losses: (blob name, slot, weight) of the tops that are part of the loss.
    """

    steps: list[Step]
    fused: list[Step]
    watched: list[Step]
    slot_of: dict[Blob, int]
    losses: list[tuple[str, int, float]]
    slots: int


def plan(built: BuiltNet, layers: Sequence[TorchLayer]) -> Plan:
    """Number the blobs, those of a split as its bottom, and line the layers up."""
    slot_of: dict[Blob, int] = {}
    losses: list[tuple[str, int, float]] = []
    steps = []
    slots = 0
    wanted: set[int] = set()
    remaining = iter(layers)
    for spec in built.layers:
        inserted = spec.message is None
        for index, blob in enumerate(spec.tops):
            if inserted:
                slot_of[blob] = slot_of[spec.bottoms[0]]
            else:
                slot_of[blob] = slots
                slots += 1
            if index < len(spec.loss_weights) and spec.loss_weights[index]:
                name = spec.bottoms[0].name if inserted else blob.name
                losses.append((name, slot_of[blob], spec.loss_weights[index]))
        bottoms = tuple(slot_of[blob] for blob in spec.bottoms)
        passes = spec.propagate_down if spec.need_backward else [False] * len(bottoms)
        if not inserted:
            wanted.update(slot for slot, down in zip(bottoms, passes, strict=True) if down)
            cut = tuple(index for index, down in enumerate(passes) if not down)
            tops = tuple(slot_of[blob] for blob in spec.tops)
            steps.append(Step(next(remaining), bottoms, tops, cut, spec.need_backward, ()))
    steps = [
        step._replace(wanted=tuple(index for index, slot in enumerate(step.tops) if slot in wanted)) for step in steps
    ]
    by_spec = {id(layer.spec): layer for layer in layers}
    for layer in layers:
        layer.can_overwrite = _can_overwrite(layer, by_spec)
    return Plan(steps, _fused(steps), _fused(steps, in_place=True), slot_of, losses, slots)


def _can_overwrite(layer: TorchLayer, layers: dict[int, TorchLayer]) -> bool:
    """Does it run in place, on a top that the layer before it leaves to it?"""
    spec = layer.spec
    if not layer.overwrites or not spec.runs_in_place:
        return False
    producer = layers.get(id(spec.bottoms[0].producer))
    return producer is not None and producer.leaves_top


def _fused(steps: list[Step], in_place: bool = False) -> list[Step]:
    """A BatchNorm and the Scale that alone reads it as one step. in_place: only where both run in place."""
    result: list[Step] = []
    for step in steps:
        before = result[-1] if result else None
        if before is not None and isinstance(before.layer, BatchNorm) and isinstance(step.layer, Scale):
            alone = step.bottoms == before.tops and len(before.layer.spec.tops[0].consumers) == 1
            alone = alone and len(before.layer.params) == 3
            if in_place:
                alone = alone and before.layer.spec.runs_in_place and step.layer.spec.runs_in_place
            if alone and step.layer.channels is not None and step.records == before.records and not step.cut:
                result[-1] = before._replace(layer=Scaled(before.layer, step.layer), tops=step.tops, wanted=step.wanted)
                continue
        result.append(step)
    return result
