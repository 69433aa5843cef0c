"""Are pairs that are to be alike nearer to each other than those that are not (events.py, Pairs)?

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: B905, UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

MOST = 2000
"""Pairs: their order by distance takes no time."""
LEAST = 5
"""Pairs of either kind."""


class Pairs(object):
    """Keeps how far the first pairs of a net are apart. pair: as in `Job`, as a dict of its fields."""

    def __init__(self, pair):
        self.pair = pair
        self.apart = []
        self.alike = []

    def add(self, values_of):
        """A batch; where not every pair has a label of its own, nothing is kept."""
        if len(self.alike) >= MOST:
            return
        left = numpy.array(values_of(self.pair["left"]), numpy.float64)
        near = _apart(left, values_of(self.pair["right"]))
        if self.pair["label"]:
            labels = numpy.array(values_of(self.pair["label"])).reshape(-1)
            if len(near) == len(labels):
                self.apart += near
                self.alike += (labels != 0).tolist()
            return
        far = _apart(left, values_of(self.pair["other"]))
        if len(near) == len(far):
            self.apart += near + far
            self.alike += [True] * len(near) + [False] * len(far)

    def result(self):
        """The fields of the event, by the view that tells most; {} where nothing can be told."""
        if any(len(each) != len(self.apart[0]) for each in self.apart):
            return {}
        every = [_farther(numpy.array(each), numpy.array(self.alike, bool)) for each in zip(*self.apart)]
        best = max(range(len(every)), key=lambda at: abs(every[at].get("beyond", 0.0))) if every else 0
        if not every or not every[best]:
            return {}
        return dict(every[best], name=self.pair["name"], pairs=len(self.alike), spectra=best > 0)


def _farther(apart, alike):
    """The statistic of Mann and Whitney, in deviations of what chance gives, ties taken as they come."""
    count, others = int(alike.sum()), int((~alike).sum())
    if min(count, others) < LEAST or not numpy.isfinite(apart).all() or not (apart != apart[0]).any():
        return {}
    ranks = numpy.searchsorted(numpy.sort(apart), apart, "left") + numpy.searchsorted(numpy.sort(apart), apart, "right")
    farther = (ranks[~alike].sum() - others * (count + others)) / 2.0
    spread = numpy.sqrt(count * others * (count + others + 1) / 12.0)
    near, far = float(numpy.median(apart[alike])), float(numpy.median(apart[~alike]))
    return {"alike": near, "other": far, "beyond": float(farther / spread)}


def _apart(left, right):
    """The distances of each pair, of its values, and of maps also of their spectra, in which things that are moved are
    alike; [] where they do not go together."""
    right = numpy.array(right, numpy.float64)
    if left.shape != right.shape or left.ndim < 2:
        return []
    views = [(left, right)]
    if left.ndim > 2 and min(left.shape[2:]) > 1 and numpy.isfinite(left).all() and numpy.isfinite(right).all():
        axes = tuple(range(2, left.ndim))
        views.append((numpy.abs(numpy.fft.fftn(left, axes=axes)), numpy.abs(numpy.fft.fftn(right, axes=axes))))
    squares = [((one - other).reshape(len(left), -1) ** 2).sum(axis=1) for one, other in views]
    return numpy.sqrt(squares).T.tolist()
