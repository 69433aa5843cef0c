"""What was seen of a data set, as plain values: they are added up over its parts, sent between processes and kept."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

IMAGE, LABEL = "image", "label"
"""The tops of a source of images, by what they hold; those of HDF5 have the names of their datasets."""

SCALAR = "scalar"
"""The shape of a single number."""

# What may be wrong with a record.
NOT_DATUM = "not a Datum"
WRONG_SIZE = "wrong size"
OTHER_TYPE = "bytes of "
"""Before the name of the numpy type that fits the bytes of a Datum, which are to be of one byte a value."""
UNDECODABLE = "undecodable"
UNFLAGGED = "encoded without the flag"
TOO_LARGE = "too large"
CUT = "cut short"
MISSING = "missing"
NO_LABEL = "no label"
PART_LABEL = "label not whole"
BOX_OUTSIDE = "box outside"
BOX_EMPTY = "box empty"
# What may be wrong with the values of a top in a record.
NAN, INF, BELOW, CONSTANT = "nan", "inf", "-inf", "constant"
COVERED = "drawn by alpha alone"
"""Of a record that is CONSTANT as well."""

EXAMPLES = 5
MOST_SHAPES = 64
MOST_VALUES = 1 << 16
"""More different values than this are no classes, and are not counted one by one."""
MOST_CHANNELS = 16


@dataclass
class Fault:
    """How many records have it, and the names of the first ones."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, name: str, count: int = 1) -> None:
        self.count += count
        if len(self.examples) < EXAMPLES:
            self.examples.append(name)

    def join(self, other: Fault) -> None:
        self.count += other.count
        self.examples = (self.examples + other.examples)[:EXAMPLES]


@dataclass
class Channel:
    """The sums of some values, for their mean and, of fewer, for their spread, and the ends of all of them."""

    count: int = 0
    total: float = 0.0
    measured: int = 0
    squares: float = 0.0
    measured_total: float = 0.0
    low: float | None = None
    high: float | None = None

    def join(self, other: Channel) -> None:
        self.count += other.count
        self.total += other.total
        self.measured += other.measured
        self.squares += other.squares
        self.measured_total += other.measured_total
        self.low = other.low if self.low is None else self.low if other.low is None else min(self.low, other.low)
        self.high = other.high if self.high is None else self.high if other.high is None else max(self.high, other.high)

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def spread(self) -> float:
        """The standard deviation, of the part that was measured."""
        if not self.measured:
            return 0.0
        mean = self.measured_total / self.measured
        return math.sqrt(max(self.squares / self.measured - mean * mean, 0.0))


@dataclass
class Columns:
    """The records of a file: how many, and the sums of each of their values, or of their means; of squares as well."""

    records: int = 0
    sums: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)

    def join(self, other: Columns) -> None:
        if len(self.sums) == len(other.sums):
            self.records += other.records
            self.sums = [one + another for one, another in zip(self.sums, other.sums, strict=True)]
            self.squares = [one + another for one, another in zip(self.squares, other.squares, strict=True)]

    def mean(self, column: int) -> float:
        return self.sums[column] / self.records

    def variance(self, column: int) -> float:
        return max(self.squares[column] / self.records - self.mean(column) ** 2, 0.0)


MOST_FILES, MOST_COLUMNS = 16, 16
"""Of a source, that are told apart; and the values of a record that are, where not all are together."""


@dataclass
class Rounded:
    """What float32, which Caffe reads, leaves of the values of another type in one column of a top.

    file: that holds them, and their numpy type. column: of a record, -1 where it has one value. different: how many
    different values there are, and `left` after. low, high: their ends. step: from one float32 there to the next.
    apart: how far the values of a record are from each other, where that is what is lost.
    """

    file: str
    type: str
    column: int
    different: int
    left: int
    low: float
    high: float
    step: float
    apart: float = 0.0


NEARLY_ALL, BEYOND, REPEATED = 0.98, 50.0, 20.0
"""The last is for one value that comes again and again, as one that stands for a missing one does."""
_ENOUGH = 100


def times_beyond(far: Collection[float]) -> float:
    """How many times what nearly all stay within a value has to be, of those that are more than twice of it.

    Where nothing but one value lies there, that is no tail which was cut off.
    """
    return REPEATED if len(far) > 1 and min(far) == max(far) else BEYOND


@dataclass
class Farthest:
    """The record with the largest value by size, and that value. limit: what NEARLY_ALL of the records stay within.

    more: how many other records are far beyond that. others: some of these. repeated: are all values there the same?
    column: of a record, where it is far beyond the others of this column alone; else -1.
    """

    name: str
    value: float
    limit: float
    more: int = 0
    others: list[str] = field(default_factory=list)
    repeated: bool = False
    column: int = -1

    @property
    def is_far(self) -> bool:
        return abs(self.value) > (REPEATED if self.repeated else BEYOND) * self.limit > 0

    def join(self, other: Farthest) -> Farthest:
        """Of two parts; the limit is that of the part with larger values. Of columns the one that is farther beyond."""
        if self.column != other.column:
            return max(self, other, key=_times_its_limit)
        most = self if abs(self.value) >= abs(other.value) else other
        limit = max(self.limit, other.limit)
        beyond = [one for one in (self, other) if replace(one, limit=limit).is_far]
        repeated = all(one.repeated and one.value == most.value for one in beyond)
        names = [name for one in beyond for name in (one.name, *one.others) if name != most.name]
        more = max(sum(one.more + 1 for one in beyond) - 1, 0)
        return Farthest(most.name, most.value, limit, more, names[:EXAMPLES], bool(beyond) and repeated, most.column)


@dataclass
class Top:
    """The values of one top over all records.

    shapes: of a record as text, how many records have it and the first of them. channels: one for each channel of
    images, else one. values: how many times each value occurs, while they are few; None for a top of another kind.
    changes: how often the value of a record differs from that of the one before; inside: the same within parts, which
    are the files of HDF5. steps: of images, as in steps.py.
    rounded: the column that float32 leaves least of. farthest: of numbers that are no bytes, where it was looked for.
    files: of a list of files, what the first of them hold.
    """

    records: int = 0
    shapes: dict[str, Fault] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    faults: dict[str, Fault] = field(default_factory=dict)
    is_whole: bool = True
    values: dict[float, int] | None = None
    first_of: dict[float, str] = field(default_factory=dict)
    changes: int = 0
    inside: int = 0
    first: float | None = None
    last: float | None = None
    steps: dict[str, float] = field(default_factory=dict)
    rounded: Rounded | None = None
    farthest: Farthest | None = None
    files: dict[str, Columns] = field(default_factory=dict)

    def fault(self, kind: str, name: str, count: int = 1) -> None:
        self.faults.setdefault(kind, Fault()).add(name, count)

    def join(self, other: Top) -> None:
        """Add what was seen after this."""
        if not other.records:
            return
        self.records += other.records
        for shape, seen in other.shapes.items():
            if shape in self.shapes or len(self.shapes) < MOST_SHAPES:
                self.shapes.setdefault(shape, Fault()).join(seen)
        if len(self.channels) == len(other.channels):
            for one, another in zip(self.channels, other.channels, strict=True):
                one.join(another)
        elif other.channels and not self.channels:
            self.channels = other.channels
        elif other.channels:
            self.channels, rest = [_all(self.channels)], _all(other.channels)
            self.channels[0].join(rest)
        if not self.steps or self.steps.keys() == other.steps.keys():
            self.steps = {name: value + self.steps.get(name, 0.0) for name, value in other.steps.items()}
        join_faults(self.faults, other.faults)
        self.join_rounded(other.rounded)
        for name, columns in other.files.items():
            if name in self.files:
                self.files[name].join(columns)
            elif len(self.files) < MOST_FILES:
                self.files[name] = columns
        known = self.farthest and other.farthest
        self.farthest = self.farthest.join(known) if self.farthest and known else self.farthest or other.farthest
        self.is_whole = self.is_whole and other.is_whole
        if other.last is not None:
            self.inside += other.inside
            self.changes += other.changes + (self.last is not None and self.last != other.first)
            self.first = other.first if self.first is None else self.first
            self.last = other.last
        if self.records == other.records:
            self.values = other.values
        elif self.values is not None and other.values is not None:
            for value, count in other.values.items():
                self.values[value] = self.values.get(value, 0) + count
            if len(self.values) > MOST_VALUES:
                self.values = None
        else:
            self.values = None
        self.first_of = {**other.first_of, **self.first_of}

    def join_rounded(self, other: Rounded | None) -> None:
        self.rounded = min(filter(None, (self.rounded, other)), key=_share_left, default=None)

    @property
    def far_off(self) -> Farthest | None:
        """A record whose values are far beyond those of nearly all others."""
        one = self.farthest
        return one if one is not None and self.records >= _ENOUGH and one.is_far else None

    @property
    def all(self) -> Channel:
        """All channels together."""
        return _all(self.channels)

    @property
    def low(self) -> float | None:
        return self.all.low

    @property
    def high(self) -> float | None:
        return self.all.high


FIRST = 12
"""Keys of a database: enough to tell `1` and `10` from `1` and `2`."""


@dataclass
class Facts:
    """What was seen of one source.

    records: how many were read, of `total` (0 if that is not known). encoded, floats: how many hold a compressed image,
    and numbers instead of bytes. tops: by name. faults: of records, by kind. stopped: why reading ended early, if so.
    first: the keys of the first records of a database.
    """

    records: int = 0
    total: int = 0
    encoded: int = 0
    floats: int = 0
    bytes: int = 0
    tops: dict[str, Top] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    stopped: str = ""
    first: list[str] = field(default_factory=list)

    def top(self, name: str) -> Top:
        return self.tops.setdefault(name, Top())

    def fault(self, kind: str, name: str) -> None:
        self.faults.setdefault(kind, Fault()).add(name)

    def join(self, other: Facts) -> None:
        """Add what was seen after this."""
        self.records += other.records
        self.total += other.total
        self.encoded += other.encoded
        self.floats += other.floats
        self.bytes += other.bytes
        for name, top in other.tops.items():
            self.top(name).join(top)
        join_faults(self.faults, other.faults)
        self.stopped = self.stopped or other.stopped
        self.first = [*self.first, *other.first][:FIRST]

    def as_json(self) -> dict[str, Any]:
        tops = {}
        for name, top in self.tops.items():
            tops[name] = vars(top) | {
                "shapes": _as_json(top.shapes),
                "faults": _as_json(top.faults),
                "channels": [vars(channel) for channel in top.channels],
                "farthest": vars(top.farthest) if top.farthest is not None else None,
                "rounded": vars(top.rounded) if top.rounded is not None else None,
                "values": list(top.values.items()) if top.values is not None else None,
                "files": {name: vars(columns) for name, columns in top.files.items()},
                "first_of": list(top.first_of.items()),
            }
        return vars(self) | {"tops": tops, "faults": _as_json(self.faults)}


def facts_of(row: Mapping[str, Any]) -> Facts:
    """From what `as_json` gives. Raises TypeError, ValueError or LookupError where it is something else."""
    tops = {}
    for name, one in row["tops"].items():
        rest = {
            "shapes": _faults(one["shapes"]),
            "faults": _faults(one["faults"]),
            "channels": [Channel(**channel) for channel in one["channels"]],
            "farthest": Farthest(**one["farthest"]) if one.get("farthest") else None,
            "rounded": Rounded(**one["rounded"]) if one.get("rounded") else None,
            "values": dict(map(tuple, one["values"])) if one["values"] is not None else None,
            "first_of": dict(map(tuple, one["first_of"])),
            "files": {name: Columns(**columns) for name, columns in one.get("files", {}).items()},
        }
        tops[name] = Top(**{**one, **rest})
    return Facts(**{**row, "tops": tops, "faults": _faults(row["faults"])})


def join_faults(faults: dict[str, Fault], others: Mapping[str, Fault]) -> None:
    for kind, fault in others.items():
        faults.setdefault(kind, Fault()).join(fault)


def _times_its_limit(one: Farthest) -> float:
    return abs(one.value) / one.limit if one.limit else 0.0


def _share_left(one: Rounded) -> float:
    return one.left / one.different if one.different else 1.0


def _as_json(faults: Mapping[str, Fault]) -> dict[str, Any]:
    return {kind: vars(fault) for kind, fault in faults.items()}


def _faults(row: Mapping[str, Any]) -> dict[str, Fault]:
    return {kind: Fault(**fault) for kind, fault in row.items()}


def _all(channels: list[Channel]) -> Channel:
    whole = Channel()
    for channel in channels:
        whole.join(channel)
    return whole
