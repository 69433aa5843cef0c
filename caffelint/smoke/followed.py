"""From what on the way to a loss can its targets still be told (events.py, Told)?

Python 2.7 and 3, numpy alone. It is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: B905, C402, RUF005, UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

from .neighbours import DRAWN, agreement, by_size, nearest, pulled_in, short, smaller  # or beside a runner

MOST, LEAST = 400, 60
"""Records."""
SECONDS = 4.0
"""Time for all batches, and for all that is computed of them."""
CHANCE = 5.0
"""Deviations of what chance gives, which the best of several ways to tell seldom has by chance."""
_CHANNELS = 64
_PROJECTED = 128
_MOST_VALUES = 1 << 14
_LARGE = 1 << 21
"""Values of a batch that are looked at: of larger maps every second place, and so on."""
_MOST_NUMBERS = 16
_MOST_CLASSES = 64
_RIDGE = 0.1
_BINS = 128
_FEW = 512
_PROJECTIONS = {}  # type: ignore[var-annotated]


class Followed(object):
    """Keeps the first records of a net as each layer hands them on. way: as in `Job`, as a dict of its fields."""

    def __init__(self, way):
        self.way = way
        self.places = list(zip(way["layers"], way["tops"]))
        self.held = dict((place, []) for place in self.places)  # type: ignore[var-annotated]
        self.early = []
        self.lead = None
        self.targets = []
        self.fits = True

    def wants_more(self):
        return self.fits and len(self.targets) < MOST

    def add(self, layer, top, values):
        """What a layer of the net gives, in the order of the pass."""
        if (layer, top) == (self.way["maker"], self.way["number"]):
            self._answer(numpy.array(values, numpy.float64))
        elif (layer, top) in self.held and self.lead is None:
            self.early.append((layer, top, numpy.array(values)))
        elif (layer, top) in self.held and self.fits:
            self._hold((layer, top), values)

    def end(self):
        """The batch is over."""
        self.fits = self.fits and self.lead is not None
        self.lead = None
        self.early = []

    def _answer(self, targets):
        """The targets of a batch have come, and with them is known what an item is."""
        axes = min(self.way["axes"], targets.ndim)
        self.lead = targets.shape[:axes]
        self.fits = self.fits and targets.size > 0 and axes > 0 and bool(numpy.isfinite(targets).all())
        if self.fits:
            rows = list(short(targets.reshape((_count(self.lead),) + targets.shape[axes:] + (1,))))
            self.fits = not self.targets or self.targets[0].shape == rows[0].shape
            self.targets += rows
        for layer, top, values in self.early:
            self.add(layer, top, values)

    def _hold(self, place, values):
        rows = _rows(values, self.lead, self.way["steps"])
        known = self.held[place]
        views = []
        if rows is not None and numpy.isfinite(rows).all():
            views = _views(rows)
            if len(known[0]) > len(views) if known else len(numpy.unique(rows[:LEAST])) < _FEW:
                views.append(_counted(rows))
        if views and (not known or [one.shape[1:] for one in known[0]] == [one.shape[1:] for one in views]):
            known.append(views)
        else:
            del self.held[place]

    def results(self, late):
        """The fields of each event, those of the last place first, and of the others only where nothing can be told
        from that. late: is there no time left?"""
        targets = numpy.array(self.targets[:MOST])
        labels = self.way["classes"] and targets.ndim == 2 and targets.shape[1] == 1
        targets = targets if labels or not len(targets) else pulled_in(targets)
        own = self._distinct() if self.fits else []
        found = []  # type: ignore[var-annotated]
        if len(own) < LEAST or not (targets[own] != targets[own[0]]).any():
            return found
        for place in reversed(self.places):
            if place not in self.held or late():
                continue
            views = [numpy.concatenate(each)[:MOST][own] for each in zip(*self.held[place])]
            agree, chance, beyond, fitted = told(views, targets[own], labels)
            same = not any((view != view[0]).any() for view in views)
            result = {"name": self.way["name"], "layer": place[0], "top": place[1], "records": len(own)}
            result.update(agree=agree, chance=chance, beyond=beyond, fitted=fitted, labels=labels, same=same)
            found.append(result)
            if place == self.places[-1] and not beyond < CHANCE:
                break
        return found

    def _distinct(self):
        """Records that are read for the first time: what comes again is told from itself."""
        sources = [place for place in self.places if place[0] in self.way["brings"] and place in self.held]
        seen = {}  # type: ignore[var-annotated]
        for at in range(min(MOST, len(self.targets))) if sources else ():
            seen.setdefault(tuple(self._row(place, at).tobytes() for place in sources), at)
        return sorted(seen.values())

    def _row(self, place, at):
        for views in self.held[place]:
            if at < len(views[0]):
                return views[0][at]
            at -= len(views[0])
        return numpy.zeros(0)


def _count(lead):
    return int(numpy.prod(lead, dtype=int))


def _rows(values, lead, steps):
    """What belongs to each target; None where that is not known. steps: may the first axis be time?"""
    count = _count(lead)
    if values.shape[: len(lead)] == lead:
        rest = values.shape[len(lead) :]
    elif len(lead) > 1 and values.ndim and len(values) == count:
        rest = values.shape[1:]
    elif steps and values.ndim > 1 and values.shape[1] == count:
        values = numpy.swapaxes(values, 0, 1)
        rest = values.shape[1:]
    else:
        return None
    rows = values.reshape((count,) + rest + (1,) * (not rest))
    return _thinned(rows) if rows.size else None


def _thinned(rows):
    while rows.size > _LARGE and min(rows.shape[2:] or (1,)) > 1:
        rows = rows[(slice(None), slice(None)) + (slice(None, None, 2),) * (rows.ndim - 2)]
    return rows


def _views(rows):
    """Ways to look at what a layer gives: none shows all that there is."""
    flat = rows.reshape(len(rows), -1)
    views = [short(rows), by_size(flat[:, :: 1 + flat.shape[1] // _MOST_VALUES])]
    flat = smaller(rows).reshape(len(rows), -1)
    if flat.shape[1] > views[0].shape[1]:
        flat = flat[:, numpy.unique(numpy.linspace(0, flat.shape[1] - 1, _MOST_VALUES).astype(int))]
        views.append(numpy.dot(flat, _drawn(flat.shape[1])))
    if rows.ndim > 2:
        channels = rows.reshape(rows.shape[:2] + (-1,))
        channels = channels[:, numpy.unique(numpy.linspace(0, rows.shape[1] - 1, _CHANNELS).astype(int))]
        views.append(numpy.concatenate([channels.std(axis=2), channels.max(axis=2)], axis=1))
    return [numpy.array(view, numpy.float32) for view in views]


def _drawn(size):
    """A projection, drawn once for each size."""
    if size not in _PROJECTIONS:
        _PROJECTIONS[size] = numpy.random.RandomState(0).randn(size, _PROJECTED)
    return _PROJECTIONS[size]


def _counted(rows):
    """How often each value occurs: of words which ones."""
    rows = rows.reshape(len(rows), -1)[:, :_MOST_VALUES]
    kinds = (numpy.array(rows, numpy.float32) + 0).view(numpy.uint32) % 8191 % _BINS  # of 0 and -0 one
    return numpy.array([numpy.bincount(row, minlength=_BINS) for row in kinds.astype(int)], numpy.float32)


def told(views, targets, labels):
    """How well the best of the views tells targets of records that were left out, by those that are nearest or by a
    fit, what chance gives, by how many deviations of that it is more, and whether it was a fit."""
    best = 0.0, 0.0, 0.0, False
    for view in views:
        view = view.astype(numpy.float64)
        near = nearest(view)
        if near is None:
            continue
        by_nearest = agreement(near, targets, labels)
        for found in (by_nearest + (False,), _fit(view, targets, labels) + (True,)):
            if found[2] > best[2]:
                best = found
    return best


def _fit(rows, targets, labels):
    """The same of a linear fit: the share of labels that it gives, or how numbers correlate."""
    spread = rows.std(axis=0)
    rows = rows[:, spread > 1e-9 * numpy.abs(rows).max()]
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    if labels:
        classes = numpy.unique(targets)
        if len(classes) > _MOST_CLASSES:
            return 0.0, 0.0, 0.0
        wanted = (targets == classes).astype(numpy.float64)
        own = numpy.searchsorted(classes, targets[:, 0])
    else:
        wanted = targets[:, numpy.unique(numpy.linspace(0, targets.shape[1] - 1, _MOST_NUMBERS).astype(int))]
        wanted = (wanted - wanted.mean(axis=0)) / numpy.maximum(wanted.std(axis=0), 1e-9)
    product = numpy.dot(rows, rows.T) / rows.shape[1]
    given = numpy.zeros(wanted.shape)
    halves = numpy.random.RandomState(0).permutation(len(rows)) % 2
    for half in (0, 1):
        known, asked = numpy.flatnonzero(halves != half), numpy.flatnonzero(halves == half)
        mean = wanted[known].mean(axis=0)
        ridge = product[numpy.ix_(known, known)] + _RIDGE * numpy.eye(len(known))
        given[asked] = numpy.dot(product[numpy.ix_(asked, known)], numpy.linalg.solve(ridge, wanted[known] - mean))
    if labels:
        # Each half by itself: which classes it has more of says where the other has less.
        answers = given.argmax(axis=1)
        right = lambda order: float((answers == own[order]).mean())  # noqa: E731
    else:
        given /= numpy.maximum(given.std(axis=0), 1e-9)
        right = lambda order: float((given * wanted[order]).mean())  # noqa: E731
    drawn = numpy.random.RandomState(1)
    by_chance = []
    for _ in range(DRAWN):
        order = numpy.arange(len(rows))
        for half in (0, 1):
            part = numpy.flatnonzero(halves == half)
            order[part] = part[drawn.permutation(len(part))]
        by_chance.append(right(order))
    agree, chance = right(numpy.arange(len(rows))), float(numpy.mean(by_chance))
    return agree, chance, (agree - chance) / max(float(numpy.std(by_chance)), 1e-9)
