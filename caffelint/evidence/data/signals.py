"""What data sets hold, as the signals that a net begins with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING

from caffelint.caffe.layers.data import HDF5Data
from caffelint.caffe.net_parts import Blob
from caffelint.caffe.states import TRAIN
from caffelint.evidence.data.scan import Scan, Scanned, Source
from caffelint.evidence.data.sources import Feed, feeds_of
from caffelint.evidence.data.values import Facts, Top
from caffelint.numerics.forward import images
from caffelint.numerics.signal import Signal, independent

if TYPE_CHECKING:
    from caffelint.caffe.net import Net
    from caffelint.lint.config import Config


SAMPLE = 1000
"""Records of each source: their mean and spread are as good as those of all."""
SECONDS = 60.0
"""For all sources of a check."""


class Measuring:
    """Measures the data of nets from a sample of their sources, each of which is read once, for a minute in all."""

    def __init__(self) -> None:
        self._scanned: dict[Source, Scanned] = {}
        self._left = SECONDS

    def __call__(self, net: Net, config: Config) -> dict[str, Signal]:
        """What a net that is trained begins with; empty where nothing can be read."""
        confined = not config.is_asked("read_data")
        read = {
            feed: feed.source
            for feed in feeds_of([net], config.roots, confined=confined)
            if feed.source is not None and TRAIN in feed.phases
            # The files that a list names may lie anywhere.
            if feed.source.known_by_its_state or not confined
        }
        missing = [source for source in dict.fromkeys(read.values()) if source not in self._scanned]
        if missing and self._left > 0:
            begin = monotonic()
            with Scan(sample=SAMPLE, keep=config.cache, seconds=self._left) as scan:
                self._scanned |= scan.read(missing)
            self._left -= monotonic() - begin
        return signals((feed, self._scanned[source].facts) for feed, source in read.items() if source in self._scanned)


def signals(read: Iterable[tuple[Feed, Facts]]) -> dict[str, Signal]:
    """The mean and spread of each top of the TRAIN phase as Caffe gives it to the net, by name.

    None of images that are all blank: record-constant tells that, and fillers and rates have no part in it.
    """
    found = {}
    for feed, facts in read:
        if TRAIN not in feed.phases:
            continue
        for number, blob in enumerate(feed.made.tops):
            top = facts.tops.get(feed.key(number))
            plain = isinstance(feed.made, HDF5Data) or number > 0
            if top is not None and top.channels and (plain or top.low != top.high):
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
