"""Losses whose scores and targets come from two data layers: the records of the two meet in pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from caffelint.caffe.built_net import BuiltNet
from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.text.records import NamedTuple

_SEVERAL = 2


class Paired(NamedTuple):
    """data: the one layer that the scores of the loss are made from. target: the one that its targets are made from,
    by what learns nothing."""

    loss: BuiltLayer
    data: BuiltLayer
    target: BuiltLayer


def paired(built: BuiltNet) -> Iterator[Paired]:
    """One for each loss that has two such layers."""
    for layer, origins in _traced(built):
        compares = len(layer.bottoms) > 1 and (layer.is_loss or not layer.known and layer.looks_like_a_loss)
        found = _paired(layer, origins) if compares else None
        if found is not None:
            yield found


def compared(built: BuiltNet) -> Iterator[Paired]:
    """Losses that are told which of two records are alike, where that comes with one of these from a data layer, and
    the other from another."""
    for layer, origins in _traced(built):
        if not layer.compares_records or len(layer.bottoms) != _SEVERAL + 1:
            continue
        makers = [_made_from(blob, origins) for blob in layer.bottoms]
        alone = [one[0] for one in makers if len(one) == 1 and one[0].data_source]
        other = next((one for one in alone[:_SEVERAL] if one is not alone[-1]), None)
        if len(alone) == len(makers) and other is not None:
            yield Paired(layer, other, alone[-1])


def made_of_both(built: BuiltNet) -> Iterator[Paired]:
    """Losses whose scores are made from two data layers, one of which brings the targets as well."""
    for layer, origins in _traced(built):
        if not layer.is_loss or len(layer.bottoms) < _SEVERAL or layer.bottoms[1].need_backward:
            continue
        scores, targets = (_made_from(blob, origins) for blob in layer.bottoms[:_SEVERAL])
        if len(scores) == _SEVERAL and len(targets) == 1 and all(one.data_source for one in scores):
            other = [one for one in scores if one is not targets[0]]
            if len(other) == 1:
                yield Paired(layer, other[0], targets[0])


def joined(built: BuiltNet) -> Iterator[Paired]:
    """The first layer that puts the records of two data layers together, as those of two streams; no losses.

    A Concat along axis 0 puts them one behind the other.
    """
    seen = set()
    for layer, origins in _traced(built):
        if len(layer.bottoms) < _SEVERAL or layer.is_loss or not layer.compares_maps or layer.keeps_pixels is False:
            continue
        each = [_made_from(blob, origins) for blob in layer.bottoms]
        alone = dict.fromkeys(makers[0] for makers in each if len(makers) == 1 and makers[0].data_source)
        if len(alone) == len(each) == _SEVERAL and (pair := tuple(alone)) not in seen:
            seen.add(pair)
            yield Paired(layer, *pair)


def _traced(built: BuiltNet) -> Iterator[tuple[BuiltLayer, Mapping[BuiltLayer, list[BuiltLayer]]]]:
    """Each layer, with the origins of it and of all before it: what a layer reads is made before it."""
    origins: dict[BuiltLayer, list[BuiltLayer]] = {}
    for layer in built.layers:
        origins[layer] = _origins(layer, origins)
        yield layer, origins


def _origins(layer: BuiltLayer, known: Mapping[BuiltLayer, list[BuiltLayer]]) -> list[BuiltLayer]:
    """Up to two of the layers without bottoms that one depends on: beyond that, it only counts that there are more."""
    if not layer.bottoms:
        return [layer]
    makers = (one for blob in layer.bottoms for one in _made_from(blob, known))
    return list(dict.fromkeys(makers))[:_SEVERAL]


def _made_from(blob: Blob, known: Mapping[BuiltLayer, list[BuiltLayer]]) -> list[BuiltLayer]:
    return known.get(blob.producer, []) if blob.producer is not None else []


def _paired(loss: BuiltLayer, origins: Mapping[BuiltLayer, list[BuiltLayer]]) -> Paired | None:
    scores, targets = (_made_from(blob, origins) for blob in loss.bottoms[:_SEVERAL])
    if len(scores) != 1 or len(targets) != 1 or loss.bottoms[1].need_backward:
        return None
    (data,), (target,) = scores, targets
    return Paired(loss, data, target) if data is not target and data.data_source and target.data_source else None
