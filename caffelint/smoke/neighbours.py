"""Do targets go with the data? Records that are alike have targets that are (events.py, Neighbours).

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

MOST = 600
"""Records: their distances take some hundredths of a second."""
WIDE = 8
LONG = 256
NEAREST = 5
DRAWN = 50
LEAST = 2 * NEAREST
_MOST_OF_ALL, _FAR = 0.9, 3.0
"""Of the values of a column, the share by whose distance from their median it is told what is far, and how many times
that; no value of a normal distribution is."""


class Neighbours(object):
    """Keeps the first records of a net, and what it was to answer. labels: is that classes? Maps are numbers."""

    def __init__(self, labels):
        self.labels = labels
        self.fits = True
        self.raw = []
        self.sorted = []
        self.targets = []

    def wants_more(self):
        """Are more batches of use? Copying them takes time."""
        return self.fits and len(self.raw) < MOST

    def add(self, data, targets):
        """A batch; where not every record has targets of its own, nothing is kept."""
        if not self.wants_more():
            return
        data, targets = numpy.array(data, numpy.float64), numpy.array(targets, numpy.float64)
        if data.ndim < 2 or not targets.ndim or len(data) != len(targets):
            self.fits = False
            return
        self.labels = self.labels and targets.size == len(targets)
        self.raw += list(short(data))
        self.sorted += list(by_size(data))
        self.targets += list(short(targets))

    def result(self, shift=0):
        """The fields of the event, with the target of so many records before; {} where nothing can be told."""
        if not (self.fits and self.raw):
            return {}
        raw = numpy.array(self.raw[:MOST])
        targets = numpy.array(self.targets[:MOST])
        if shift:
            targets = numpy.roll(targets, shift, axis=0)
        places = {}  # type: ignore[var-annotated]
        for at, row in enumerate(raw):
            places.setdefault(tuple(row.tolist()), []).append(at)
        most = max(places.values(), key=len)
        kinds = {tuple(targets[at].tolist()) for at in most}
        again = [(each[0], at) for each in places.values() for at in each[1:]]
        unlike = sum(bool((targets[first] != targets[at]).any()) for first, at in again)
        unknown = float("nan")
        found = {"records": len(raw), "equal": len(most), "kinds": len(kinds), "labels": bool(self.labels)}  # type: dict[str, float]
        low, high = (float(self.sorted[most[0]][end]) for end in (0, -1))
        found.update({"again": len(again), "unlike": unlike, "blank": low if low == high else unknown})
        found.update({"shift": shift, "agree": unknown, "chance": unknown, "beyond": unknown})
        own = sorted(each[0] for each in places.values())
        targets = targets[own]
        if len(own) < LEAST or not numpy.isfinite(raw).all() or not numpy.isfinite(targets).all():
            return found
        if not (targets != targets[0]).any():
            return found
        for view in (raw, numpy.array(self.sorted[:MOST])):
            near = nearest(view[own])
            if near is None:
                continue
            agree, chance, beyond = agreement(near, targets, self.labels)
            if not beyond <= found["beyond"]:
                found.update(agree=agree, chance=chance, beyond=beyond)
        return found


def agreement(near, targets, labels):
    """How well targets agree with those of their neighbours, what chance gives, and by how many of its deviations
    it is more: the share of equal labels, or how targets that are numbers correlate."""
    if labels:
        targets = targets[:, 0]
        alike = lambda one: float((one[near] == one[:, None]).mean())  # noqa: E731
    else:
        targets = pulled_in(targets)
        spread = targets.std(axis=0)
        targets = (targets[:, spread > 0] - targets[:, spread > 0].mean(axis=0)) / spread[spread > 0]
        alike = lambda one: float((one[near] * one[:, None]).mean())  # noqa: E731
    drawn = numpy.random.RandomState(0)  # not numpy's own, which layers may draw from
    by_chance = [alike(targets[drawn.permutation(len(targets))]) for _ in range(DRAWN)]
    agree, chance = alike(targets), float(numpy.mean(by_chance))
    return agree, chance, (agree - chance) / max(float(numpy.std(by_chance)), 1e-9)


def pulled_in(rows):
    """What is far from all others in its column is put nearer to them: one such value breaks a correlation."""
    middle = numpy.median(rows, axis=0)
    apart = numpy.sort(numpy.abs(rows - middle), axis=0)[int(_MOST_OF_ALL * (len(rows) - 1))]
    most = numpy.where(apart > 0, _FAR * apart, numpy.inf)
    return numpy.clip(rows, middle - most, middle + most)


def smaller(values):
    """Maps with sides of a few values at most, each the mean of a part."""
    if values.ndim > 2:
        for axis in range(max(2, values.ndim - 2), values.ndim):
            size = values.shape[axis]
            if size > WIDE:
                starts = numpy.arange(WIDE) * size // WIDE
                counts = numpy.diff(numpy.append(starts, size))
                shape = [WIDE if one == axis else 1 for one in range(values.ndim)]
                values = numpy.add.reduceat(values, starts, axis=axis) / counts.reshape(shape)
    return values


def short(values):
    """Each as a row of a few hundred values: maps made smaller, and of what is left every so many."""
    values = smaller(values)
    rows = values.reshape(len(values), -1)
    return rows[:, numpy.unique(numpy.linspace(0, rows.shape[1] - 1, LONG).astype(int))]


def by_size(values):
    """A few of the values of each by their size, wherever they stand: of words their number, of pictures their tone."""
    rows = numpy.sort(values.reshape(len(values), -1), axis=1)
    return rows[:, numpy.unique(numpy.linspace(0, rows.shape[1] - 1, 2 * WIDE).astype(int))]


def nearest(rows):
    """The numbers of the nearest others of each, by the usual deviation of each column; None where none differs."""
    rows = pulled_in(rows)
    spread = rows.std(axis=0)
    wanted = spread > 1e-9 * numpy.abs(rows).max()
    if not wanted.any():
        return None
    rows = (rows[:, wanted] - rows[:, wanted].mean(axis=0)) / spread[wanted]
    squares = (rows * rows).sum(axis=1)
    apart = squares[:, None] + squares[None, :] - 2 * numpy.dot(rows, rows.T)
    numpy.fill_diagonal(apart, numpy.inf)
    return numpy.argsort(apart, axis=1)[:, :NEAREST]
