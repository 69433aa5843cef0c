"""What is known of the values of a blob from signs and zeros alone, whatever the weights."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from caffelint.caffe.build import BuiltNet
from caffelint.caffe.layers import Layer
from caffelint.caffe.net_parts import Blob

RENAMES = frozenset(["Split", "Flatten", "Reshape", "Slice", "Crop", "BatchReindex", "LRN"])
"""Their tops hold values of their first bottom and no others, or others of the same sign."""

SIGNED_TYPES = frozenset(["Convolution", "InnerProduct", "Deconvolution", "BatchNorm", "MVN"])
AVE, STOCHASTIC = 1, 2


class Range(NamedTuple):
    """All values lie between `low` and `high`. `zero`: some are exactly 0 in any real run, as behind a ReLU.

    `signed`: both signs turn up in any real run, as behind a layer with weights.
    """

    low: float = -inf
    high: float = inf
    zero: bool = False
    signed: bool = False


UNKNOWN = Range()
SIGNED = Range(signed=True)
BOUNDED = {
    "Sigmoid": Range(0, 1),
    "Softmax": Range(0, 1),
    "TanH": Range(-1, 1, signed=True),
    "Exp": Range(0, inf),
}


def ranges(net: BuiltNet) -> dict[Blob, Range]:
    """The range of each version of a blob."""
    found: dict[Blob, Range] = {}
    for layer in net.layers:
        below = [found.get(blob, UNKNOWN) for blob in layer.bottoms]
        above = _range(layer, below) if below else UNKNOWN
        for blob in layer.tops:
            found[blob] = above
    return found


def _range(layer: Layer, bottoms: list[Range]) -> Range:
    """What a layer makes of the ranges of its bottoms."""
    type_, below = layer.type, bottoms[0]
    if type_ in SIGNED_TYPES:
        return SIGNED
    if type_ in BOUNDED:
        return BOUNDED[type_]
    if type_ == "Concat":
        return Range(
            min(one.low for one in bottoms),
            max(one.high for one in bottoms),
            any(one.zero for one in bottoms),
            any(one.signed for one in bottoms),
        )
    if type_ in RENAMES:
        return below
    if type_ == "ReLU" and not layer.parameters.negative_slope:
        return Range(max(below.low, 0), max(below.high, 0), below.low <= 0)
    if type_ == "AbsVal":
        return Range(0, max(abs(below.low), abs(below.high)), below.zero)
    if type_ == "Dropout" and layer.phase == "TRAIN":
        share = 1 - layer.parameters.dropout_ratio
        scale = 1 / share if share > 0 else inf
        zero = layer.parameters.dropout_ratio > 0 or below.zero
        return Range(min(below.low * scale, 0), max(below.high * scale, 0), zero, below.signed)
    if type_ == "Pooling" and layer.parameters.pool in (AVE, STOCHASTIC):
        return Range(min(below.low, 0), max(below.high, 0), below.zero, below.signed)
    if type_ == "Power" and layer.parameters.power == 2:
        return Range(0, inf)
    return UNKNOWN


def maker_of(blob: Blob) -> Layer | None:
    """The layer of the text that makes a blob, behind the splits that Caffe inserts."""
    while blob.producer is not None and blob.producer.index is None:
        blob = blob.producer.bottoms[0]
    return blob.producer


def linear(values: Range, scale: float, shift: float) -> Range:
    """The range of scale * x + shift; `zero` says that it is 0 where x is."""
    if not scale:
        return Range(shift, shift)
    ends = sorted((scale * values.low + shift, scale * values.high + shift))
    return Range(ends[0], ends[1], values.zero and shift == 0, values.signed)
