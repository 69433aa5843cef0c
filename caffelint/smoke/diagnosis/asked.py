"""What a net is asked that does not go with what it reads: pairs that are called otherwise, places in what is cut."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.smoke.diagnosis.change import inverted_target, of_layer, swapped, uncropped
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.diagnosis.trouble import flat, opposed, stuck
from caffelint.smoke.run import Run

_CLEARLY, _BETTER = 0.6, 0.8
"""Of the loss at the end: what the right pairs leave, of the same features at first, or the whole of each record. Pairs
that were measured to be the wrong way round may leave more.
"""
_SIDED = 3.0
"""The score of mirroring where the names of classes differ in their sides."""
_MEASURED = 1.0
_FEW, _USUAL = 2, 32
"""Records of a batch."""
_SMALL = 50_000
"""Values of a record of which that many can be read at once."""


def inverted(run: Run) -> Iterator[Hypothesis]:
    """Pairs that are told to be alike where they differ: only a trial can tell. field: `inverted` by labels, `swapped`
    as the bottoms of a loss of three.

    value, figure: how far pairs are apart, as they are read, that are to be alike, and others, if that shows it.
    """
    for layer in run.loss_layers:
        pairs, shown = layer.type == "ContrastiveLoss" and len(layer.bottoms) > 2, opposed(run, layer.name)
        if shown is None and not (pairs and flat(run)):
            continue
        field, bottom = ("inverted", 2) if pairs else ("swapped", 1)
        changes = inverted_target(run, layer, 2) if pairs else swapped(run, layer, 1, 2)
        place = run.place(layer.name, 0, "bottom", bottom)
        one = Hypothesis("labels", place, STRONG, changes, field, (layer,), cured=_CLEARLY)
        if changes:
            score, far = STRONG + _MEASURED, shown
            yield one if far is None else one._replace(score=score, value=far.alike, figure=far.other, cured=_BETTER)


def cropped(run: Run) -> Iterator[Hypothesis]:
    """A crop of TRAIN, which is at another place of each record, where the targets are numbers that do not follow it,
    such as positions, or maps that are cropped apart. field: `crop`. layers: the one that crops, and the loss."""
    if not flat(run):
        return
    for loss in run.loss_layers:
        if len(loss.bottoms) < 2 or loss.bottoms[1].need_backward:
            continue
        told = _brought(loss.bottoms[1])
        crops = [one for one in _brought(loss.bottoms[0]) if _crops(one) and not one.top]
        apart = [one for one in told if _crops(one) and not one.top and one not in crops]
        if crops and (apart or (loss.is_distance and not any(one in crops for one in told))):
            layer = crops[0].producer
            if layer is not None and (changes := uncropped(run)):
                place = run.place(layer.name, 0, "transform_param", "crop_size")
                size = layer.message.transform_param.crop_size
                yield Hypothesis("data", place, STRONG, changes, "crop", (layer, loss), size, cured=_CLEARLY)


def mirrored(run: Run) -> Iterator[Hypothesis]:
    """Images of TRAIN that are mirrored by chance, where what is asked may differ in its sides. field: `mirror`."""
    for layer in run.built[0].layers if flat(run) else ():
        if layer.transforms and layer.message.transform_param.mirror and layer.tops:
            changes = of_layer(run, layer, "transform_param", "mirror", value="false")
            place = run.place(layer.name, 0, "transform_param", "mirror")
            score = _SIDED if run.known(rules=("mirrored-sides",)) else STRONG
            yield Hypothesis("data", place, score, changes, "mirror", (layer,), cured=_CLEARLY)


def few_at_once(run: Run) -> Iterator[Hypothesis]:
    """Updates that follow from one or two records each, which go to and fro at a rate for larger batches. With more
    records at once a loss that is sound falls as it did. field: `batch`. value: their number."""
    # Statistics of a batch, and steps of sequences, make a batch of one a fault of another kind.
    plain = not any(layer.is_recurrent or layer.keeps_statistics for layer in run.built[0].layers)
    plain = plain and run.solver.message.iter_size == 1 and not stuck(run)
    for layer in run.built[0].layers if plain and flat(run) else ():
        few = 0 < layer.batch_size <= _FEW and layer.has_setting("batch_size") and not layer.bottoms
        if few and math.prod((layer.tops[0].shape or ())[1:]) <= _SMALL:
            changes = of_layer(run, layer, layer.block, "batch_size", value=_USUAL)
            place = run.place(layer.name, 0, layer.block, "batch_size")
            yield Hypothesis("data", place, STRONG, changes, "batch", (layer,), layer.batch_size, cured=_CLEARLY)


def _brought(blob: Blob) -> list[Blob]:
    """The tops of layers that bring data, of all that a blob depends on."""
    found: dict[Blob, None] = {}
    pending, seen = [blob], set[BuiltLayer]()
    while pending:
        one = pending.pop()
        if one.producer is not None and not one.producer.bottoms:
            found[one] = None
        elif one.producer is not None and one.producer not in seen:
            seen.add(one.producer)
            pending += one.producer.bottoms
    return list(found)


def _crops(blob: Blob) -> bool:
    layer = blob.producer
    return layer is not None and bool(layer.transforms) and layer.message.transform_param.crop_size > 0
