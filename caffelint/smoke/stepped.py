"""Do the values that a recurrent layer reads go on from step to step (events.py, Stepped)?

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

_MOST, _LEAST = 16, 3
"""Batches; and steps and items, of which neighbours are compared."""
_LAGS = (1, 2, 3)
_MOST_KINDS = 64
_LARGEST = 1 << 20
"""Values of all batches."""


class Stepped(object):
    """The first batches of a blob of steps x items x values."""

    def __init__(self, name, target=""):
        self.name = name
        self.target = target
        self.batches = []
        self.labels = []
        self.values = 0
        self.found = None

    def wants_more(self):
        return len(self.batches) < _MOST and self.values < _LARGEST

    def add(self, values, labels=None):
        self.values += values.size
        if values.ndim > 1 and min(values.shape[:2]) > _LEAST and self.values <= _LARGEST:
            values = numpy.array(values, numpy.float64)
            self.batches.append(values.reshape(values.shape[0], values.shape[1], -1))
            fits = labels is not None and labels.shape[:2] == values.shape[:2] and labels[0, 0].size == 1
            self.labels.append(numpy.array(labels).reshape(values.shape[:2]) if fits else None)

    def result(self):
        """The fields of the event; {} where nothing can be told. Computed once."""
        if self.found is None:
            self.found = self._measured()
        return self.found

    def _measured(self):
        kept = [one for one in self.batches if one.shape == self.batches[0].shape]
        if not kept or not all(numpy.isfinite(one).all() for one in kept):
            return {}
        whole = numpy.array(kept)
        spread = whole.std((0, 1, 2))
        whole = (whole - whole.mean((0, 1, 2)))[..., spread > 0] / spread[spread > 0]
        if not whole.size:
            return {}
        count, steps, items, values = whole.shape
        # As it lies in memory, read as items x steps.
        read = whole.reshape(count, items, steps, values).swapaxes(1, 2) if (spread > 0).all() else whole
        return {
            "name": self.name,
            "steps": steps,
            "items": items,
            "along_steps": _alike(whole, 1),
            "along_items": _alike(whole, 2),
            "reshaped": _alike(read, 1),
            "reshaped_items": _alike(read, 2),
            "told_steps": self._told(whole, 0),
            "told_items": self._told(whole, 1),
        }

    def _told(self, whole, axis):
        """How much of the values so far before a label, along an axis, goes with it; the most of a few lags."""
        if len(whole) != len(self.labels) or any(one is None for one in self.labels):
            return float("nan")
        labels = numpy.array(self.labels)
        return max(_explained(labels, whole, axis + 1, lag) for lag in _LAGS if whole.shape[axis + 1] > 2 * lag)


def _explained(labels, values, axis, lag):
    """Of the spread of values, the share that is between those of each label `lag` places behind, less chance."""
    count = values.shape[axis]
    rows = values.take(range(count - lag), axis).reshape(-1, values.shape[-1])
    own = labels.take(range(lag, count), axis).reshape(-1)
    kinds, of = numpy.unique(own, return_inverse=True)
    if not 1 < len(kinds) <= _MOST_KINDS:
        return 0.0
    sums = numpy.array([numpy.bincount(of, column, len(kinds)) for column in rows.T])
    counts = numpy.bincount(of, minlength=len(kinds))
    between = (sums**2 / counts).sum(1) / len(rows) - rows.mean(0) ** 2
    return float((between / numpy.maximum(rows.var(0), 1e-12)).max() - len(kinds) / len(rows))


def _alike(values, axis):
    """The correlation of neighbours along an axis."""
    last = values.shape[axis]
    return float((values.take(range(last - 1), axis) * values.take(range(1, last), axis)).mean())
