"""What a net was to answer, collected over its passes: what targets.py, neighbours.py and their like make of it.

Python 2.7 and 3, numpy alone. It is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

from . import (  # of caffelint.smoke, or of the package beside a runner
    coded,
    crossed,
    marked,
    neighbours,
    overlaid,
    pairs,
    stepped,
    targets,
)

CHANCE, SURE = 3.0, 10.0
"""Deviations of what chance gives: below the first any order of the targets may be by chance, above the second none."""
_SHIFTS = (1, -1, 2, -2, 3, -3)


class Answers(object):
    """targets, pairs: as in `Job`, each as a dict of its fields. sequences, marks: as there."""

    def __init__(self, wanted, couples, sequences=(), marks=()):
        self.targets = [targets.Targets(one["name"], one["classes"], one["ignored"]) for one in wanted]
        self.told = [_Told(0, one["name"], one["data"], one["classes"]) for one in wanted if one["data"]]
        self.pairs = [pairs.Pairs(one) for one in couples]
        self.sequences = [stepped.Stepped(*names) for names in sequences]
        self.marks = [marked.Marked(name) for name in marks]
        self.crossings = []

    def add(self, values_of):
        """A batch. values_of: gives the values of a blob by its name."""
        for total in self.targets:
            total.add(values_of(total.name))
        for one in self.told:
            one.add(values_of)
        for couple in self.pairs:
            couple.add(values_of)
        for sequence in self.sequences:
            if sequence.wants_more():
                sequence.add(values_of(sequence.name), values_of(sequence.target) if sequence.target else None)
        for mark in self.marks:
            if mark.wants_more():
                mark.add(values_of(mark.name))
        for crossing in self.crossings:
            crossing.add(values_of)

    def events(self):
        """The kind and the fields of each event."""
        found = [("targets", one.result()) for one in self.targets]
        for one in self.told:
            found += [("neighbours", each) for each in one.results()]
            found += [("overlaid", dict(each, name=one.name)) for each in [one.overlaid.result()] if each]
        found += [("stepped", one.result()) for one in self.sequences if one.result()]
        found += [("marked", each) for one in self.marks for each in [one.result()] if each]
        found += [("crossed", one.result()) for one in self.crossings if one.result()]
        found += [("sided", each) for one in self.crossings for each in [one.sided()] if each]
        return found + [("pairs", one.result()) for one in self.pairs if one.result()]

    def of_test(self, number, names):
        """The same of a TEST net that has these blobs: its targets, and whether these go with the data where those of
        TRAIN do not; where they do, whether the records of TEST go with those of TRAIN."""
        found = Answers([], [])
        known = (one for one in self.targets if one.name in names)
        found.targets = [targets.Targets(one.name, one.classes, one.ignored, number) for one in known]
        for one in self.told:
            if one.name not in names or one.data not in names:
                continue
            tells = not one.result().get("beyond", CHANCE) < CHANCE
            if not tells:
                found.told.append(_Told(number, one.name, one.data, one.classes))
            if one.classes or (tells and one.seen.columns > 1):
                found.crossings.append(_Crossing(number, one, tells))
        return found


class _Crossing(object):
    """tells: do neighbours tell the targets in TRAIN, so that they may tell those of TEST?"""

    def __init__(self, net, told, tells):
        self.net = net
        self.tells = tells
        self.told = told
        self.seen = crossed.Seen()
        self.found = None

    def add(self, values_of):
        if self.seen.wants_more():
            self.seen.add(values_of(self.told.data), values_of(self.told.name))

    def result(self):
        """Computed once, after the last batch."""
        if self.found is None:
            self.found = crossed.crossed(self.told.seen, self.seen) if self.tells else {}
            if not self.found.get("how"):
                self.found = coded.coded(self.told.seen, self.seen) or self.found
            if self.found:
                self.found.update(name=self.told.name, net=self.net)
        return self.found

    def sided(self):
        found = crossed.sided(self.seen) if self.tells else {}
        return dict(found, name=self.told.name, net=self.net) if found else {}


class _Told(object):
    def __init__(self, net, name, data, classes):
        self.net = net
        self.name = name
        self.data = data
        self.classes = classes
        self.neighbours = neighbours.Neighbours(classes)
        self.seen = crossed.Seen()
        self.overlaid = overlaid.Overlaid()
        self.found = None
        self.size = 0

    def add(self, values_of):
        if self.neighbours.wants_more():
            data = values_of(self.data)
            self.size = len(data)
            targets = values_of(self.name)
            self.neighbours.add(data, targets)
            if not self.net and (self.classes or targets.size > len(targets)):
                self.seen.add(data, targets)
            if self.overlaid.wants_more() and not self.net:
                self.overlaid.add(data, targets)

    def results(self):
        """That of the targets as they came, and, where these do not go with the data, of other records' that do."""
        own = self.result()
        if not own:
            return []
        if self.net or not own["beyond"] < CHANCE:
            return [own]
        shifts = list(_SHIFTS)
        shifts += [self.size, -self.size]
        every = [self.neighbours.result(shift) for shift in shifts]
        best = max(every, key=lambda each: each["beyond"])
        best.update(name=self.name, net=self.net)
        return [own, best] if best["beyond"] > SURE else [own]

    def result(self):
        """Computed once, after the last batch."""
        if self.found is None:
            self.found = self.neighbours.result()
            if self.found:
                self.found.update(name=self.name, net=self.net)
        return self.found
