"""What is known of the values of a blob from signs and zeros alone, whatever the weights."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from caffelint.caffe.net_parts import Blob

RENAMES = frozenset(["Split", "Flatten", "Reshape", "Slice", "Crop", "BatchReindex"])
"""Their tops hold values of their first bottom and no others."""

MIXES = frozenset(["Concat"])
AVE, STOCHASTIC, SUM = 1, 2, 1


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


def range_of(blob: Blob) -> Range:
    """The range of a version of a blob."""
    layer = blob.producer
    if layer is None or not layer.bottoms:
        return UNKNOWN
    type_ = layer.type
    if type_ in ("Convolution", "InnerProduct", "Deconvolution", "BatchNorm", "LRN", "MVN"):
        return SIGNED if type_ != "LRN" else range_of(layer.bottoms[0])
    if type_ in ("Sigmoid", "Softmax"):
        return Range(0, 1)
    if type_ == "TanH":
        return Range(-1, 1, signed=True)
    if type_ == "Exp":
        return Range(0, inf)
    if type_ in MIXES:
        ranges = [range_of(bottom) for bottom in layer.bottoms]
        return Range(
            min(one.low for one in ranges),
            max(one.high for one in ranges),
            any(one.zero for one in ranges),
            any(one.signed for one in ranges),
        )
    below = range_of(layer.bottoms[0])
    if type_ in RENAMES:
        return below
    if type_ == "ReLU" and not layer.parameters.negative_slope:
        return Range(max(below.low, 0), max(below.high, 0), below.low <= 0)
    if type_ == "AbsVal":
        return Range(0, max(abs(below.low), abs(below.high)), below.zero)
    if type_ == "Dropout" and layer.phase == "TRAIN":
        share = 1 - layer.parameters.dropout_ratio
        scale = 1 / share if share > 0 else inf
        low, high = min(below.low * scale, 0), max(below.high * scale, 0)
        return Range(low, high, layer.parameters.dropout_ratio > 0 or below.zero, below.signed)
    if type_ == "Pooling" and layer.parameters.pool in (AVE, STOCHASTIC):
        return Range(min(below.low, 0), max(below.high, 0), below.zero, below.signed)
    if type_ == "Power" and layer.parameters.power == 2:
        return Range(0, inf)
    return UNKNOWN


def linear(values: Range, scale: float, shift: float) -> Range:
    """The range of scale * x + shift; `zero` says that it is 0 where x is."""
    if not scale:
        return Range(shift, shift)
    ends = sorted((scale * values.low + shift, scale * values.high + shift))
    return Range(ends[0], ends[1], values.zero and shift == 0, values.signed)
