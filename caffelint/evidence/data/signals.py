"""What data sets hold, as the signals that a net begins with."""

from __future__ import annotations

import math

from caffelint.caffe.layers.data import HDF5Data
from caffelint.caffe.net_parts import Blob
from caffelint.evidence.data.evidence import DataEvidence
from caffelint.evidence.data.values import Top
from caffelint.numerics.forward import images
from caffelint.numerics.signal import Signal, independent


def signals(evidence: DataEvidence) -> dict[str, Signal]:
    """The mean and spread of each top of the TRAIN phase as Caffe gives it to the net, by name."""
    found = {}
    for feed, facts in evidence.read:
        if "TRAIN" not in feed.phases:
            continue
        for number, blob in enumerate(feed.made.tops):
            top = facts.tops.get(feed.key(number))
            if top is not None and top.channels:
                plain = isinstance(feed.made, HDF5Data) or number > 0
                found[blob.name] = _signal(top, blob) if plain else _transformed(top, feed.made.message.transform_param)
    return found


def _moments(top: Top) -> tuple[float, float]:
    """Mean and variance of all values."""
    means = [one.mean for one in top.channels]
    mean = sum(means) / len(means)
    squares = sum(one.spread**2 + one.mean**2 for one in top.channels) / len(means)
    return mean, max(squares - mean * mean, 0.0)


def _signal(top: Top, blob: Blob) -> Signal:
    mean, variance = _moments(top)
    if blob.shape is not None and len(blob.shape) <= 3:
        return independent(mean, variance)
    return images(mean, math.sqrt(variance))._replace(assumed=False)


def _transformed(top: Top, transform: object) -> Signal:
    """After `transform_param` (data_transformer.cpp): minus the mean, times the scale."""
    mean, variance = _moments(top)
    values = list(transform.mean_value)  # type: ignore[attr-defined]
    if values:
        mean -= sum(values) / len(values)
    elif transform.mean_file:  # type: ignore[attr-defined]
        mean = 0.0
    scale: float = transform.scale  # type: ignore[attr-defined]
    return images(mean * scale, math.sqrt(variance) * abs(scale))._replace(assumed=False)
