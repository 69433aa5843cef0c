"""What a net was to answer: the numbers that give the loss of the best constant answer (events.py, Targets).

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

MOST_CLASSES = 1 << 16
MOST_COLUMNS = 64
MOST_SHARES = 256


class Targets(object):
    """Adds up one blob over the iterations. classes: does it hold labels? ignored: the label that does not count."""

    def __init__(self, name, classes, ignored, net=0):
        self.name = name
        self.net = net
        self.classes = classes
        self.ignored = ignored
        self.counts = numpy.zeros(0, numpy.int64)
        self.items = 0
        self.sums = self.squares = 0.0

    def add(self, values):
        if self.classes:
            labels = numpy.asarray(values).reshape(-1)
            labels = labels[(labels >= 0) & (labels < MOST_CLASSES) & (labels != self.ignored)].astype(numpy.int64)
            counts = numpy.bincount(labels, minlength=len(self.counts))
            counts[: len(self.counts)] += self.counts
            self.counts = counts
        else:
            values = numpy.asarray(values, numpy.float64)
            self.items += len(values)
            self.sums = self.sums + values.sum(axis=0)
            self.squares = self.squares + (values * values).sum(axis=0)

    def result(self):
        """The fields of the event."""
        found = {
            "name": self.name,
            "net": self.net,
            "entropy": float("nan"),
            "variance": float("nan"),
            "binary": float("nan"),
            "columns": [],
            "shares": [],
        }
        if self.classes and self.counts.sum():
            shares = self.counts / float(self.counts.sum())
            found["entropy"] = _entropy(shares)
            found["shares"] = [float(one) for one in shares] if len(shares) <= MOST_SHARES else []
        elif self.items:
            mean = self.sums / self.items
            each = numpy.asarray(self.squares / self.items - mean * mean).reshape(-1)
            found["variance"] = float(numpy.sum(each))
            if 1 < each.size <= MOST_COLUMNS:
                found["columns"] = [float(one) for one in numpy.sqrt(numpy.maximum(each, 0))]
            if numpy.all((mean >= 0) & (mean <= 1)):
                found["binary"] = _entropy(mean) + _entropy(1 - mean)
        return found


def _entropy(shares):
    shares = numpy.asarray(shares)
    shares = shares[shares > 0]
    return float(-(shares * numpy.log(shares)).sum())
