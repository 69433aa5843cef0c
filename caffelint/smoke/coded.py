"""Does what tells labels within TRAIN, and within TEST, tell them from one to the other (events.py, Crossed)?

Python 2.7 and 3, numpy alone. It is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

from .crossed import nearest_votes, renumbered, sorted_classes  # of caffelint.smoke, or beside a runner
from .neighbours import DRAWN, MOST

_LEAST = 100
"""Records of each, of which one half is to tell the other."""
_SURE = 8.0
"""Deviations of what chance gives."""
_WELL, _LITTLE = 0.5, 0.25
"""Of what is beyond chance in all: what is to be told within each, and of that in TEST, what may be told across."""
_MOSTLY = 0.8
_MOST_KINDS = 4096
_SHORTEST = 3
"""Values of a record, of which it may be counted how often each occurs."""


def coded(train, test):
    """The fields of the event, of two that were seen, where nothing is told across; {} else."""
    if min(len(train.records), len(test.records)) < _LEAST or not (train.fits and test.fits):
        return {}
    if train.columns != 1 or test.columns != 1 or train.records[0].shape != test.records[0].shape:
        return {}
    known, asked = numpy.array(train.records[:MOST]), numpy.array(test.records[:MOST])
    classes, labels, own = sorted_classes(train.labels[:MOST], test.labels[:MOST])
    if classes is None or not (numpy.isfinite(known).all() and numpy.isfinite(asked).all()):
        return {}
    best = {}  # type: ignore[var-annotated]
    for how, known_rows, asked_rows, votes in _views(known, asked):
        count = len(classes)
        mine, its = (_within(votes, *each, count=count) for each in ((known_rows, labels), (asked_rows, own)))
        if min(mine[2], its[2]) < _SURE:
            continue
        given = votes(known_rows, asked_rows, labels, count)
        agree, chance, _ = _agree(given.argmax(axis=1), own)
        if agree - chance > _LITTLE * (its[0] - its[1]):
            return {}  # it tells there
        if min((one[0] - one[1]) / (1 - one[1]) for one in (mine, its)) < _WELL or its[0] < best.get("with_it", 0.0):
            continue
        best = {"records": len(asked), "agree": agree, "chance": chance, "how": how, "with_it": its[0]}
        best.update(own=mine[0], labels=[])
        other = renumbered(numpy.eye(count)[given.argmax(axis=1)], own, count)
        if how == "ids" and other is not None and other[0] > _MOSTLY * its[0]:
            pairs = [[float(classes[one]), float(classes[there])] for one, there in enumerate(other[1]) if there >= 0]
            best.update(how="numbered", with_it=other[0], labels=pairs)
    return best


def _views(known, asked):
    """Ways to look at records, and to tell labels from them."""
    plain = sum(side > 1 for side in known.shape[1:]) < 2  # and no map, where values are tones
    known, asked = known.reshape(len(known), -1), asked.reshape(len(asked), -1)
    yield "coded", known, asked, nearest_votes
    kinds = numpy.unique(numpy.concatenate([known, asked]))
    whole = bool((kinds == numpy.floor(kinds)).all()) and kinds[0] >= 0
    if plain and whole and len(kinds) <= _MOST_KINDS and known.shape[1] >= _SHORTEST:
        yield "ids", _counted(known, kinds), _counted(asked, kinds), _by_counts


def _counted(rows, kinds):
    """How often each value occurs in each record."""
    at = numpy.searchsorted(kinds, rows)
    return numpy.array([numpy.bincount(row, minlength=len(kinds)) for row in at], numpy.float64)


def _by_counts(known, asked, labels, count):
    """Of each record that is asked about, how much each label is for its values, each by itself."""
    totals = numpy.array([known[labels == one].sum(axis=0) for one in range(count)]) + 0.5
    usual = numpy.bincount(labels, minlength=count) + 0.5
    scores = numpy.dot(asked, numpy.log(totals / totals.sum(axis=1)[:, None]).T) + numpy.log(usual / usual.sum())
    scores = numpy.exp(scores - scores.max(axis=1)[:, None])
    return scores / scores.sum(axis=1)[:, None]


def _within(votes, rows, labels, count):
    """How many labels of each half, as they come, are told from the other one, what chance gives, and by how many of
    its deviations it is more. Records in a row may be of one thing, and tell each other all."""
    middle = len(rows) // 2
    first, second = slice(0, middle), slice(middle, None)
    pairs = ((second, first), (first, second))
    given = [votes(rows[known], rows[asked], labels[known], count).argmax(axis=1) for known, asked in pairs]
    return _agree(numpy.concatenate(given), labels)


def _agree(given, own):
    drawn = numpy.random.RandomState(0)  # not numpy's own, which layers may draw from
    by_chance = [float((given == own[drawn.permutation(len(own))]).mean()) for _ in range(DRAWN)]
    agree, chance = float((given == own).mean()), float(numpy.mean(by_chance))
    return agree, chance, (agree - chance) / max(float(numpy.std(by_chance)), 1e-9)
