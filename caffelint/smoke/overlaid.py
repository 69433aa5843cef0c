"""Do maps of targets lie on the data that they are of (events.py, Overlaid)?

Python 2.7 and 3, numpy alone. One file by itself: it is copied beside a runner that has no caffelint to import.
"""

# ruff: noqa: UP004, UP010
# mypy: allow-untyped-defs, allow-untyped-calls
from __future__ import absolute_import, division

import numpy

MOST, LEAST = 200, 20
"""Records."""
_SIDE = 32
_MOST_CHANNELS, _MOST_MAPS = 8, 16
"""Of each record, the first."""
_LEAST_CELLS, _COARSE = 4, 2
"""Cells of a map that is coarser than its data, along each side, and pixels of a cell."""
_MOST_KINDS = 16
_ABOVE_CHANCE = 5.0
"""Deviations by which turned maps fit better than those of other records, turned in the same way."""
_SURE, _TIMES = 8.0, 1.5
"""Deviations, and times, by which they fit better than as they are."""
_RARE, _CLEARLY = 95, 2.0
"""The share of other records, in percent, whose maps explain less than one that fits; times that it explains more."""
_AT_TIMES, _MOSTLY = 0.15, 0.6
"""Of the records: those that fit turned, and those that fit as they are, where chance turns some; both together."""


class Overlaid(object):
    """The first records of a net: how much of the data does the map that lies on it explain, as it is and turned?"""

    def __init__(self):
        self.fits = True
        self.data = []
        self.maps = []

    def wants_more(self):
        return self.fits and len(self.data) < MOST

    def add(self, data, maps):
        data, maps = numpy.asarray(data), numpy.asarray(maps)
        self.fits = data.ndim == 4 and maps.ndim in (3, 4) and len(data) == len(maps) and maps.size > 0
        if not self.fits:
            return
        maps = maps.reshape(len(maps), -1, *maps.shape[-2:])[:, :_MOST_MAPS]
        sides, own = data.shape[2:], maps.shape[2:]
        whole = own == sides and maps.shape[1] == 1
        coarse = min(own) >= _LEAST_CELLS and all(sides[one] >= _COARSE * own[one] for one in (0, 1))
        self.fits = min(sides) > 2 and (whole or coarse) and maps.shape[1] > 0
        if self.fits:
            down, along = (-(-side // _SIDE) for side in own)
            data = data[:, :_MOST_CHANNELS].astype(numpy.float64)
            data = (data if whole else _in_cells(data, own))[:, :, ::down, ::along]
            if not self.data or self.data[0].shape == data.shape[1:]:
                self.data += list(data)
                self.maps += list(maps[:, :, ::down, ::along].astype(numpy.float64))

    def result(self):
        """The fields of the event; {} where nothing can be told."""
        if not self.fits or len(self.data) < LEAST:
            return {}
        data, maps = numpy.array(self.data[:MOST]), numpy.array(self.maps[:MOST])
        if not (numpy.isfinite(data).all() and numpy.isfinite(maps).all()):
            return {}
        plain = _shares(data, maps)
        fits, most = float(plain.mean()), 0.0
        found = {"records": len(data), "fits": fits, "how": "", "with_it": float("nan"), "beyond": most, "turns": 0.0}
        nothing = _shares(data, numpy.roll(maps, 1, axis=0))
        for how, turned in _views(maps):
            shares = _shares(data, turned)
            # What any map of this kind explains, as of things in the middle, says nothing of its place.
            other = _shares(data, numpy.roll(turned, 1, axis=0))
            limit = numpy.percentile(numpy.concatenate([other, nothing]), _RARE)
            turns, stays = [(one > numpy.maximum(_CLEARLY * two, limit)).mean() for one, two in _both(shares, plain)]
            if min(turns, stays) > _AT_TIMES and turns + stays > _MOSTLY:
                found.update(how=how, with_it=float(numpy.maximum(shares, plain).mean()), turns=float(turns))
                return found
            if not _beyond(shares - other) > _ABOVE_CHANCE:
                continue
            beyond = _beyond(shares - plain)
            if beyond > max(_SURE, most) and shares.mean() > _TIMES * fits:
                most = beyond
                found.update(how=how, with_it=float(shares.mean()), beyond=beyond)
        return found


def _both(one, other):
    return (one, other), (other, one)


def _beyond(differences):
    """By how many of its own deviations the mean is above 0."""
    return float(differences.mean() / max(differences.std() / numpy.sqrt(len(differences)), 1e-9))


def _in_cells(data, cells):
    """The mean of each channel in each cell of a map that is coarser than the data, and its deviation there."""
    sums = []
    for values in (data, data * data):
        for axis in (2, 3):
            starts = numpy.arange(cells[axis - 2]) * data.shape[axis] // cells[axis - 2]
            sizes = numpy.diff(numpy.append(starts, data.shape[axis]))
            shape = [-1 if one == axis else 1 for one in range(4)]
            values = numpy.add.reduceat(values, starts, axis=axis) / sizes.reshape(shape)
        sums.append(values)
    spread = numpy.sqrt(numpy.maximum(sums[1] - sums[0] ** 2, 0))
    return numpy.concatenate([sums[0], spread], axis=1)


def _shares(data, maps):
    """Of each record, the largest share of the variance of a channel that a map explains, the mean over its maps."""
    values = data.reshape(len(data), data.shape[1], -1)
    values = values - values.mean(axis=2, keepdims=True)
    whole = (values * values).sum(axis=2)
    whole[whole <= 0] = numpy.inf
    return numpy.mean([_explained(values, whole, maps[:, one]) for one in range(maps.shape[1])], axis=0)


def _explained(values, whole, maps):
    kinds = numpy.unique(maps)
    flat = maps.reshape(len(maps), 1, -1)
    explained = numpy.zeros(whole.shape)
    if len(kinds) <= _MOST_KINDS:
        for kind in kinds:
            there = (flat == kind).astype(numpy.float64)
            explained += (values * there).sum(axis=2) ** 2 / numpy.maximum(there.sum(axis=2), 1)
    else:
        flat = flat - flat.mean(axis=2, keepdims=True)
        size = (flat * flat).sum(axis=2)
        size[size <= 0] = numpy.inf
        explained = (values * flat).sum(axis=2) ** 2 / size
    return (explained / whole).max(axis=1)


def _views(maps):
    """Ways in which maps may be turned."""
    yield "mirrored", maps[..., ::-1]
    yield "upside down", maps[..., ::-1, :]
    yield "turned round", maps[..., ::-1, ::-1]
    if maps.shape[-1] == maps.shape[-2]:
        yield "transposed", numpy.swapaxes(maps, -1, -2)
        yield "turned to the left", numpy.swapaxes(maps, -1, -2)[..., ::-1, :]
        yield "turned to the right", numpy.swapaxes(maps, -1, -2)[..., ::-1]
