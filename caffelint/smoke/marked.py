"""In which order the marks lie that tell a recurrent layer where sequences begin (events.py, Marked).

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

_MOST = 16
"""Batches."""
_LEAST = 4
"""Sequences of a batch."""


class Marked(object):
    """The first batches of a blob of steps x items, 0 where a sequence begins."""

    def __init__(self, name):
        self.name = name
        self.batches = []

    def wants_more(self):
        return len(self.batches) < _MOST

    def add(self, values):
        self.batches.append(numpy.array(values))

    def result(self):
        """The fields of the event; {} where sequences do not begin at the same distance of each other in memory, as
        those do that were written one after the other, or where streams that begin in turn look alike."""
        shapes = {one.shape for one in self.batches}
        if len(shapes) != 1 or len(self.batches[0].shape) != 2 or min(self.batches[0].shape) < 2:
            return {}
        steps, items = self.batches[0].shape
        begins = [numpy.flatnonzero(one.ravel() == 0) for one in self.batches]
        gaps = {int(gap) for one in begins for gap in numpy.diff(one)}
        if len(gaps) != 1 or min(len(one) for one in begins) < _LEAST:
            return {}
        gap = gaps.pop()
        whole = all(one[0] < gap and one[-1] + gap >= steps * items for one in begins)
        if not whole or gap in (1, items) or gap % items in (1, items - 1) or (gap % steps and steps % gap):
            return {}
        return {"name": self.name, "steps": steps, "items": items, "gap": gap, "begins": sum(map(len, begins))}
