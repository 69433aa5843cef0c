"""Are records of TEST like those of TRAIN that have the same label, or does it take a change (events.py, Crossed)?

Python 2.7 and 3, numpy alone. It is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

from .neighbours import DRAWN, LEAST, LONG, MOST, pulled_in, smaller  # of caffelint.smoke, or beside a runner

NEAREST = 5
_COLOURS = 3
_MOST_CLASSES = 64
_MOST_CHANNELS = 16
_MOST_COLUMNS = 64
_CHANCE, _SURE = 3.0, 8.0
"""Deviations of what chance gives: below the first TEST does not go with TRAIN, above the second a change makes it."""
_PARTLY, _MOSTLY = 0.6, 0.8
"""Of what fits with a change, what may fit without it; and what has to, where that is more than by chance."""
_NEARLY = 0.9
_HALF = 0.5


class Seen(object):
    """The first records of a net, made smaller, and their labels."""

    def __init__(self):
        self.fits = True
        self.records = []
        self.labels = []

    @property
    def columns(self):
        """How many values each record is to be answered with."""
        return len(self.labels[0]) if self.fits and self.labels else 0

    def wants_more(self):
        return self.fits and len(self.records) < MOST

    def add(self, data, labels):
        data, labels = smaller(numpy.array(data, numpy.float64)), numpy.array(labels, numpy.float64)
        if data.ndim > 1:
            most = LONG if data.ndim == 2 else _MOST_CHANNELS
            data = data[:, numpy.unique(numpy.linspace(0, data.shape[1] - 1, most).astype(int))]
        same = not self.records or self.records[0].shape == data.shape[1:]
        rows = labels.reshape(len(labels), -1) if labels.ndim and labels.size else labels
        same = same and rows.ndim == 2 and (not self.labels or self.columns == rows.shape[-1])
        self.fits = self.fits and data.ndim > 1 and same
        self.fits = self.fits and len(data) == len(rows) and rows.shape[1] <= _MOST_COLUMNS
        if self.fits:
            self.records += list(data)
            self.labels += list(rows)


def crossed(train, test):
    """The fields of the event, of two that were seen; {} where nothing is to be told."""
    few = min(len(train.records), len(test.records)) < 2 * LEAST
    if few or not (train.fits and test.fits) or train.records[0].shape != test.records[0].shape:
        return {}
    known, asked = numpy.array(train.records[:MOST]), numpy.array(test.records[:MOST])
    labels, own = numpy.array(train.labels[:MOST]), numpy.array(test.labels[:MOST])
    if labels.shape[1] != own.shape[1]:
        return {}
    if labels.shape[1] > 1:
        return _columns(known, asked, labels, own)
    classes, labels, own = sorted_classes(labels, own)
    if classes is None or not (numpy.isfinite(known).all() and numpy.isfinite(asked).all()):
        return {}
    votes = nearest_votes(known, asked, labels, len(classes))
    agree, chance, spread = _agree(votes, own)
    found = {"records": len(asked), "agree": agree, "chance": chance, "how": "", "with_it": float("nan"), "labels": []}
    if agree > _PARTLY:
        return found
    best = 0.0, "", []  # type: ignore[var-annotated]
    for how, changed in _views(asked):
        turned = _agree(nearest_votes(known, changed, labels, len(classes)), own)
        if turned[0] > turned[1] + _SURE * turned[2] and turned[0] > best[0]:
            best = turned[0], how, []
    numbered = renumbered(votes, own, len(classes))
    if numbered is not None and best[0] < _NEARLY * numbered[0]:
        pairs = [[float(classes[one]), float(classes[other])] for one, other in enumerate(numbered[1]) if other >= 0]
        best = numbered[0], "numbered", pairs
    enough = _MOSTLY if agree > chance + _CHANCE * spread else 0.0
    if best[0] > enough and agree < _PARTLY * best[0]:
        found.update(with_it=best[0], how=best[1], labels=best[2])
    return found


def sided(seen):
    """The fields of the event, of one that was seen, if its images are those of other labels when they are mirrored."""
    images = numpy.array(seen.records[:MOST]) if seen.fits and len(seen.records) >= 2 * LEAST else numpy.zeros(0)
    if images.ndim != 4 or seen.columns != 1 or not numpy.isfinite(images).all():
        return {}
    labels = numpy.array(seen.labels[:MOST])[:, 0]
    classes = numpy.unique(labels)
    if not numpy.isfinite(classes).all() or not 2 <= len(classes) <= _MOST_CLASSES:
        return {}
    own = numpy.searchsorted(classes, labels)
    votes = nearest_votes(images, images[..., ::-1], own, len(classes))
    numbered = renumbered(votes, own, len(classes))
    share, other = numbered if numbered is not None else (0.0, [])
    there_and_back = all(other[other[one]] == one for one in other)
    moved = numpy.array([other[one] != one for one in own]) if other else numpy.zeros(1)
    if share < _MOSTLY or not there_and_back or moved.mean() < _HALF:
        return {}
    agree = _agree(votes, own)[0]
    pairs = [[float(classes[one]), float(classes[there])] for one, there in enumerate(other)]
    return {"records": len(images), "agree": agree, "with_it": share, "labels": pairs}


def sorted_classes(labels, own):
    """The classes of two sets of labels, and the number of each label's; None for no few classes."""
    labels, own = numpy.array(labels)[:, 0], numpy.array(own)[:, 0]
    classes = numpy.unique(numpy.concatenate([labels, own]))
    if not numpy.isfinite(classes).all() or not 2 <= len(classes) <= _MOST_CLASSES:
        return None, labels, own
    return classes, numpy.searchsorted(classes, labels), numpy.searchsorted(classes, own)


def nearest_votes(known, asked, labels, count):
    """Of each record that is asked about, which share of its nearest known ones has each label."""
    near = _nearest(known, asked)
    if near is None:
        return numpy.zeros((len(asked), count))
    return (labels[near][:, :, None] == numpy.arange(count)).mean(axis=1)


def _nearest(known, asked):
    """Of each record that is asked about, the numbers of its nearest known ones; None where all known are alike."""
    known, asked = known.reshape(len(known), -1), asked.reshape(len(asked), -1)
    known = pulled_in(known)
    mean, spread = known.mean(axis=0), known.std(axis=0)
    wanted = spread > 1e-9 * max(numpy.abs(known).max(), 1e-30)
    if not wanted.any():
        return None
    known, asked = ((one[:, wanted] - mean[wanted]) / spread[wanted] for one in (known, asked))
    apart = (asked * asked).sum(axis=1)[:, None] + (known * known).sum(axis=1) - 2 * numpy.dot(asked, known.T)
    return numpy.argsort(apart, axis=1)[:, :NEAREST]


def _columns(known, asked, labels, own):
    """The fields where each record has several targets: do those of TEST stand in another order?"""
    finite = all(numpy.isfinite(one).all() for one in (known, asked, labels, own))
    near = _nearest(known, asked) if finite else None
    if near is None or not (labels.std(axis=0) > 0).all() or not (own.std(axis=0) > 0).all():
        return {}
    guessed = _standard(pulled_in(labels)[near].mean(axis=1))
    own = pulled_in(own)

    def best(own):
        table = numpy.dot(guessed.T, _standard(own)) / len(own)
        other = table.argmax(axis=0)
        return float(table[other, numpy.arange(len(table))].mean()), other, float(numpy.diag(table).mean())

    drawn = numpy.random.RandomState(0)
    by_chance = [best(own[drawn.permutation(len(own))]) for _ in range(DRAWN)]
    share, other, agree = best(own)
    highest, chance = [one[0] for one in by_chance], [one[2] for one in by_chance]
    found = {"records": len(asked), "agree": agree, "chance": float(numpy.mean(chance)), "how": "", "labels": []}
    found["with_it"] = float("nan")
    enough = _MOSTLY if agree > found["chance"] + _CHANCE * max(float(numpy.std(chance)), 1e-9) else 0.0
    sure = share > numpy.mean(highest) + _SURE * max(float(numpy.std(highest)), 1e-9)
    if sure and share > enough and agree < _PARTLY * share and len(set(other.tolist())) == len(other):
        pairs = [[float(one), float(there)] for one, there in enumerate(other)]
        found.update(how="columns", with_it=share, labels=pairs)
    return found


def _standard(values):
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / numpy.where(spread > 0, spread, 1.0)


def _agree(votes, own):
    """The share of votes for the label of each, and mean and deviation of that for labels in any order."""
    drawn = numpy.random.RandomState(0)  # not numpy's own, which layers may draw from
    rows = numpy.arange(len(own))
    by_chance = [float(votes[rows, own[drawn.permutation(len(own))]].mean()) for _ in range(DRAWN)]
    return float(votes[rows, own].mean()), float(numpy.mean(by_chance)), max(float(numpy.std(by_chance)), 1e-9)


def renumbered(votes, own, count):
    """The share of votes with the labels numbered otherwise, one for one, and by label the other; None for no such."""

    def best(own):
        table = numpy.array([votes[own == one].sum(axis=0) for one in range(count)])
        there = [one for one in range(count) if (own == one).any()]
        other = [int(table[one].argmax()) if one in there else -1 for one in range(count)]
        fits = len({other[one] for one in there}) == len(there)
        return sum(float(table[one].max()) for one in there) / len(own), other, fits

    drawn = numpy.random.RandomState(0)
    by_chance = [best(own[drawn.permutation(len(own))])[0] for _ in range(DRAWN)]
    share, other, fits = best(own)
    sure = share > numpy.mean(by_chance) + _SURE * max(float(numpy.std(by_chance)), 1e-9)
    return (share, other) if sure and fits else None


def _views(records):
    """Ways in which images of two sources may differ."""
    if records.ndim == 4 and records.shape[1] == _COLOURS:
        yield "channels", records[:, ::-1]
    if records.ndim < 3:
        return
    yield "mirrored", records[..., ::-1]
    yield "upside down", records[..., ::-1, :]
    if records.shape[-1] == records.shape[-2]:
        yield "transposed", numpy.swapaxes(records, -1, -2)
    yield "negative", records.max() + records.min() - records
