"""What a net is asked that does not go with what it reads: pairs that are called otherwise, places in what is cut."""

from __future__ import annotations

from collections.abc import Iterator

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.smoke.diagnosis.change import inverted_target, swapped, uncropped
from caffelint.smoke.diagnosis.hypothesis import STRONG, Hypothesis
from caffelint.smoke.diagnosis.trouble import flat, opposed
from caffelint.smoke.run import Run

_CLEARLY = 0.6
"""Of the loss at the end: what the right pairs leave, of the same features at first, or the whole of each record."""
_MEASURED = 1.0


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
            yield one if far is None else one._replace(score=score, value=far.alike, figure=far.other)


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
