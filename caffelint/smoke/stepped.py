"""Do the values that a recurrent layer reads go on from step to step (events.py, Stepped)?

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

_MOST, _LEAST = 16, 3
"""Batches; and steps and items, of which neighbours are compared."""
_LARGEST = 1 << 20
"""Values of all batches."""


class Stepped(object):
    """The first batches of a blob of steps x items x values."""

    def __init__(self, name):
        self.name = name
        self.batches = []
        self.values = 0
        self.found = None

    def wants_more(self):
        return len(self.batches) < _MOST and self.values < _LARGEST

    def add(self, values):
        self.values += values.size
        if values.ndim > 1 and min(values.shape[:2]) > _LEAST and self.values <= _LARGEST:
            values = numpy.array(values, numpy.float64)
            self.batches.append(values.reshape(values.shape[0], values.shape[1], -1))

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
        }


def _alike(values, axis):
    """The correlation of neighbours along an axis."""
    last = values.shape[axis]
    return float((values.take(range(last - 1), axis) * values.take(range(1, last), axis)).mean())
