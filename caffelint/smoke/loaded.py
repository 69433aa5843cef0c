"""What is wrong with parameters that were loaded (events.py, BadWeights).

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import

import numpy


def wrong(values, variances):
    """The fields of the event but layer and param; None for nothing. variances: are they those of a BatchNorm?"""
    with numpy.errstate(all="ignore"):
        bad = 0 if numpy.isfinite(values.sum()) else int(values.size - numpy.isfinite(values).sum())
    negative = not bad and bool(variances) and bool((values < 0).any())
    if negative:
        bad = int((values < 0).sum())
    return {"bad": bad, "size": int(values.size), "negative": negative} if bad else None
