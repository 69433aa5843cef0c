"""Are pairs that are called alike nearer to each other than those that are not (events.py, Pairs)?

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

MOST = 2000
"""Pairs: their order by distance takes no time."""
LEAST = 5
"""Pairs of either kind."""


class Pairs(object):
    """Keeps how far the first pairs of a net are apart. name: of the blob of labels. left, right: of the data."""

    def __init__(self, name, left, right):
        self.name = name
        self.left = left
        self.right = right
        self.apart = []
        self.alike = []

    def add(self, values_of):
        """A batch; where not every pair has a label of its own, nothing is kept."""
        if len(self.apart) >= MOST:
            return
        left, right, labels = (
            numpy.array(values_of(name), numpy.float64) for name in (self.left, self.right, self.name)
        )
        if left.shape != right.shape or left.ndim < 2 or labels.size != len(left):
            return
        squares = (left - right).reshape(len(left), -1) ** 2
        self.apart += numpy.sqrt(squares.sum(axis=1)).tolist()
        self.alike += (labels.reshape(-1) != 0).tolist()

    def result(self):
        """The fields of the event; {} where nothing can be told.

        beyond is the statistic of Mann and Whitney, in deviations of what chance gives, ties taken as they come.
        """
        apart, alike = numpy.array(self.apart), numpy.array(self.alike, bool)
        count, others = int(alike.sum()), int((~alike).sum())
        if min(count, others) < LEAST or not numpy.isfinite(apart).all() or not (apart != apart[0]).any():
            return {}
        ranks = numpy.searchsorted(numpy.sort(apart), apart, "left") + numpy.searchsorted(
            numpy.sort(apart), apart, "right"
        )
        farther = (ranks[~alike].sum() - others * (count + others)) / 2.0
        spread = numpy.sqrt(count * others * (count + others + 1) / 12.0)
        near, far = float(numpy.median(apart[alike])), float(numpy.median(apart[~alike]))
        found = {"name": self.name, "pairs": count + others, "alike": near, "other": far}
        found["beyond"] = float(farther / spread)
        return found
