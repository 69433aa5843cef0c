"""Events of an engine (events.py) on what a net was to answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple


class Targets(NamedTuple):
    """What a net was to answer in all iterations; name: of the blob that a data layer makes. net: 0 for TRAIN.

    entropy: of its labels, in nats. variance: about the mean of each position in an item, added up over positions;
    binary: entropy of a yes or no with that mean, added up likewise. nan for what it is not. columns: the deviation of
    each position, where these are a few. shares: how frequent each label from 0 on is, where these are some hundreds.
    """

    name: str
    entropy: float
    variance: float
    binary: float
    net: int = 0
    columns: Sequence[float] = ()
    shares: Sequence[float] = ()


class Neighbours(NamedTuple):
    """Do targets go with the data, by the first records that the TRAIN net read (neighbours.py)? name: of the targets.

    equal: how many of the records are equal to the one that comes most often; kinds: how many targets these have.
    agree: the share of equal labels among nearest neighbours, or how targets that are numbers correlate; chance: the
    same of targets in any other order; beyond: by how many of the deviations of that it is more. nan where that cannot
    be told. shift: each with the target of so many records before.
    labels: is the target of a record one label, or are they numbers? net: 0 for TRAIN, the number of a TEST net of
    which the same was asked, since the targets in TRAIN do not go with the data.
    again: how many records are equal to an earlier one; unlike: how many of these have another target.
    blank: the value that the `equal` ones hold and nothing else; nan where they hold several.
    """

    name: str
    records: int
    equal: int
    kinds: int
    agree: float
    chance: float
    beyond: float
    shift: int = 0
    labels: bool = True
    net: int = 0
    again: int = 0
    unlike: int = 0
    blank: float = math.nan


class Pairs(NamedTuple):
    """How far pairs that a loss is to draw together are apart as they are read, and others (pairs.py). name: of it.

    alike, other: medians of those that labels call alike, or that are the first and second bottom of a loss of three,
    and of the others; beyond: by how many of the deviations of chance the former are nearer. spectra: are these
    distances of the spectra of maps, which tell more of these pairs than their values do?
    """

    name: str
    pairs: int
    alike: float
    other: float
    beyond: float
    spectra: bool = False


class Crossed(NamedTuple):
    """Are the first records of a TEST net like those of TRAIN with the same label (crossed.py)? name: of the labels.

    agree: the share of equal labels among the nearest records of TRAIN, or, of several targets a record, the mean of
    their correlations; chance: the same of labels in any order. how: the change with which they agree: `channels` (in
    the other order), `mirrored`, `upside down`, `transposed`, `negative`, or, of labels, `numbered` and of several
    targets `columns` (in another order); "" for none that is known. with_it: the share with that change. labels: pairs
    of a label, or a column, in TEST and that in TRAIN.

    `ids`, `coded`: none is known, but within TEST labels are told (with_it: how many), and within TRAIN (own), by which
    values occur or by the nearest records, and not from one to the other (coded.py).
    """

    name: str
    net: int
    records: int
    agree: float
    chance: float
    how: str
    with_it: float
    labels: Sequence[tuple[float, float]]
    own: float = math.nan


class Sided(NamedTuple):
    """The first images of a TEST net are those of another label when they are mirrored (crossed.py).

    name: of the labels. agree: the share of the labels of their nearest others that is their own, with_it: that is the
    other one. labels: pairs of a label and that of its mirrored images.
    """

    name: str
    net: int
    records: int
    agree: float
    with_it: float
    labels: Sequence[tuple[float, float]]


class Overlaid(NamedTuple):
    """Do maps of targets lie on the data that they are of (overlaid.py)? name: of the targets.

    fits: the mean share of the variance of a record's data that its map explains. how: turned in which way it explains
    surely more: `mirrored`, `upside down`, `turned round`, `transposed`, `turned to the left` or `right`; "" for none.
    with_it: the share then; beyond: by how many of the deviations of chance it is more. turns: where some records are
    turned and others are not, the share of these; then `with_it` is that of each the way that fits.
    """

    name: str
    records: int
    fits: float
    how: str
    with_it: float
    beyond: float
    turns: float = 0.0


class Stepped(NamedTuple):
    """How alike neighbours are of what a recurrent layer reads (stepped.py): correlations. name: of the blob.

    along_steps, along_items: as the layer takes it, steps x items; reshaped, reshaped_items: of the same numbers, in
    the order in which they lie in memory, read as items x steps. told_steps, told_items: of the spread of values a few
    places before, along each axis, the share that goes with the labels; nan without these.
    """

    name: str
    steps: int
    items: int
    along_steps: float
    along_items: float
    reshaped: float
    reshaped_items: float
    told_steps: float = math.nan
    told_items: float = math.nan


class Marked(NamedTuple):
    """The zeros of what tells a recurrent layer where sequences begin lie as far from each other in memory as those of
    sequences do that are written one after the other (marked.py). name: of the blob, steps x items. gap: from one to
    the next; begins: how many there are.
    """

    name: str
    steps: int
    items: int
    gap: int
    begins: int


class Told(NamedTuple):
    """From what a layer gives before any training, can targets be told (followed.py)? name: of the targets.

    top: the number of the layer's top. agree: the share of right answers to the first records, or how answers that are
    numbers correlate with the right ones; chance: the same of targets in any order; beyond: by how many of the
    deviations of that it is more. fitted: are the answers those of a linear fit, or those of the nearest other records?
    labels: is the target of a record one label, or are they numbers? same: is what it gives the same for all records?
    """

    name: str
    layer: str
    top: int
    records: int
    agree: float
    chance: float
    beyond: float
    fitted: bool = False
    labels: bool = True
    same: bool = False


Alike = Targets | Neighbours | Pairs | Crossed | Sided | Overlaid | Stepped | Marked | Told
ALIKE: dict[str, Any] = {
    "targets": Targets,
    "neighbours": Neighbours,
    "pairs": Pairs,
    "crossed": Crossed,
    "sided": Sided,
    "overlaid": Overlaid,
    "stepped": Stepped,
    "marked": Marked,
    "told": Told,
}
"""By their names, as in `events.KINDS`."""
