"""What the net reads that is far larger or smaller than what weights are made for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from caffelint.caffe.layers import BuiltLayer
from caffelint.caffe.net_parts import Blob
from caffelint.smoke.diagnosis.change import (
    centred_input,
    normalised_input,
    of_layer,
    of_one,
    scaled_input,
    without_mean,
)
from caffelint.smoke.diagnosis.hypothesis import Hypothesis
from caffelint.smoke.events import BLOB, DATA, Statistics
from caffelint.smoke.learning import is_zero, saturates, size
from caffelint.smoke.loss import bad_start, begins
from caffelint.smoke.run import Run

_LARGE, _SMALL = 30.0, 0.03
_SCALED = 0.1
"""A scale below it is one that was written for pixels."""
_HUGE = 1e10
"""A loss before any update that no weights of a usual size give."""
_OFFSET = 10.0
"""Times the deviation: a mean that hides what differs from record to record."""


class Input(NamedTuple):
    """A blob that follows from the data alone, and is read by weights or joined to what weights made.

    layer, top: the layer that brings the data, and which of its tops. found: the values of the blob before any update.
    """

    blob: Blob
    layer: BuiltLayer
    top: int
    found: Statistics

    @property
    def largest(self) -> float:
        return max(abs(self.found.min), abs(self.found.max))


def large_input(run: Run) -> Input | None:
    """The largest one, if it is far above 1, and was so before any layer."""
    large = (one for one in _inputs(run) if min(size(one.found), _size_of_data(run, one)) > _LARGE)
    return max(large, key=lambda one: size(one.found), default=None)


def small_input(run: Run) -> Input | None:
    """The first one that is next to 0 everywhere."""
    return next((one for one in _inputs(run) if one.largest < _SMALL and not is_zero(one.found)), None)


def scaled_again(one: Input) -> BuiltLayer | None:
    """The Power layer that makes values small once more, of which transform_param has made them small before."""
    if not one.layer.transforms or one.top or not 0 < one.layer.message.transform_param.scale < _SCALED:
        return None
    maker = one.blob.producer
    while maker is not None and maker.bottoms:
        p = maker.message.power_param if maker.type == "Power" else None
        if p is not None and p.power == 1 and 0 < p.scale < _SCALED:
            return maker
        maker = maker.bottoms[0].original.producer
    return None


def _offset(run: Run) -> Input | None:
    """The one whose values differ least for how far they are from 0."""
    found = [one for one in _inputs(run) if 0 < one.found.std < math.inf and _times(one) > _OFFSET]
    return max(found, key=_times, default=None)


def _times(one: Input) -> float:
    return abs(one.found.mean) / one.found.std


def _size_of_data(run: Run, one: Input) -> float:
    brought = run.statistics(-1, one.layer.name, BLOB, one.layer.tops[one.top].name, DATA)
    return size(brought) if brought is not None else 0.0


def input_scale(run: Run) -> Iterator[Hypothesis]:
    """field: "", `small`, `offset` or `mean`. layers: the one that brings it. value: the largest of the values."""
    start = bad_start(run)
    bad = start or saturates(run) or not abs(begins(run)) < _HUGE
    offset = _offset(run)
    if (one := offset) is not None:
        # What is left of it is made no smaller than weights are made for.
        factor = float(f"{1 / one.found.std:.1g}") if one.found.std < _SMALL else 1.0
        centred = centred_input(run, one.layer, one.top, one.found.mean, factor)
        changes = (*centred, *normalised_input(run, one.layer, one.top))
        field = ("mean_file",) if one.layer.transforms and one.layer.message.transform_param.mean_file else ()
        place = run.place(one.layer.name, 0, "transform_param", *field)
        score = math.log10(_times(one)) + 0.5
        score = max(score, math.log10(size(one.found)))
        yield Hypothesis("input-scale", place, score, changes, "offset", (one.layer,), one.found.mean, one.found.std)
    if (one := large_input(run)) is not None:
        yield from _of_mean(run, one)
        if offset is not None and offset.blob is one.blob:
            return  # smaller, it would still hide what differs
        score = math.log10(size(one.found)) - (0.4 if bad else 3.4)
        scaled, normal = scaled_input(run, one.layer, one.top, one.largest), normalised_input(run, one.layer, one.top)
        columns = len(one.blob.shape or ()) == 2  # which may differ in size
        changes = (*normal, *scaled) if columns else (*scaled, *normal)
        place = run.place(one.layer.name, 0, "transform_param", "scale")
        yield Hypothesis("input-scale", place, score, changes, layers=(one.layer,), value=one.largest)
    elif (one := small_input(run)) is not None:
        changes = scaled_input(run, one.layer, one.top, one.largest)
        place = run.place(one.layer.name, 0, "transform_param", "scale")
        score = -math.log10(size(one.found))
        layers: tuple[BuiltLayer, ...] = (one.layer,)
        if (again := scaled_again(one)) is not None:
            # It stands after the data layers of all phases, or once in each.
            alike = [layer for layer in run.built[0].layers if layer.name == again.name] or [again]
            each = [of_layer(run, layer, "power_param", "scale", value=1) for layer in alike]
            changes = (*of_one(tuple(change for way in each for change in way)), *changes)
            place = run.place(again.name, 0, "power_param", "scale")
            layers = (one.layer, again)
        yield Hypothesis("input-scale", place, score, changes, "small", layers, one.largest)
    elif start:
        yield Hypothesis("start", run.nets[0].at(), 0.4, value=start[0], figure=start[1])


def _of_mean(run: Run, one: Input) -> Iterator[Hypothesis]:
    """A mean file that moves all values to one side of 0. field: `mean`. value, figure: the least and the greatest."""
    p = one.layer.message.transform_param if one.layer.transforms and not one.top else None
    if p is None or not p.mean_file or one.found.min <= 0 <= one.found.max:
        return
    place = run.place(one.layer.name, 0, "transform_param", "mean_file")
    changes, score = without_mean(run, one.layer), math.log10(size(one.found)) + 1
    yield Hypothesis("input-scale", place, score, changes, "mean", (one.layer,), one.found.min, one.found.max)


def _inputs(run: Run) -> Iterator[Input]:
    for layer in run.built[0].layers:
        if layer.index is None or layer.is_loss:
            continue
        joins = layer.rearranges and layer.need_backward
        read = layer.bottoms if joins else layer.bottoms[:1] if layer.params and layer.expects(0) is None else []
        for bottom in read:
            blob, data = bottom.original, _origin(bottom)
            if bottom.need_backward or blob.producer is None or data is None or data.producer is None:
                continue
            found = run.statistics(-1, blob.producer.name, BLOB, blob.name, DATA)
            if found is not None:
                yield Input(blob, data.producer, data.producer.tops.index(data), found)


def _origin(blob: Blob) -> Blob | None:
    """The top of a layer that brings data, of which each layer on the way reads no other."""
    blob = blob.original
    while blob.producer is not None and blob.producer.bottoms:
        if len(blob.producer.bottoms) > 1:
            return None
        blob = blob.producer.bottoms[0].original
    return blob if blob.producer is not None else None
