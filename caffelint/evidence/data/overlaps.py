"""Records that are there twice, in one source or in two: by the digests of their images. Needs numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

from caffelint.caffe.states import TEST, TRAIN
from caffelint.evidence.data.scan import Scanned, Source
from caffelint.evidence.data.sources import Feed

_AT_ONCE = 1 << 22
"""Digests that are compared in one pass, which bounds the memory."""

_MOST_PAIRS = 1000
"""Sources for training with sources for testing."""


class Overlap(NamedTuple):
    """Records of `other` whose image is in `one` as well, an earlier record of it where the two are the same source.

    records: how many. first: the numbers of a first pair, from 0, in `one` and in `other`. relabelled: how many have
    another label there, `conflict` the first pair of these. named: the names of
    the pair to show.
    """

    one: Source
    other: Source
    records: int
    first: tuple[int, int]
    relabelled: int = 0
    conflict: tuple[int, int] = (0, 0)
    named: tuple[str, str] = ("", "")


def overlaps_of(
    found: Sequence[Feed], scanned: Mapping[Source, Scanned], name: Callable[[Source, int], str]
) -> list[Overlap]:
    """Of each source with itself, and of those for training with those for testing.

    name: of a record, by its number. Two records may have the same answer, so what brings answers alone is left out.
    """
    read = [feed for feed in found if feed.source is not None and scanned[feed.source].parts]
    read = [feed for feed in read if not feed.brings_answers]
    training = dict.fromkeys(feed.source for feed in read if TRAIN in feed.phases)
    testing = dict.fromkeys(feed.source for feed in read if TEST in feed.phases and TRAIN not in feed.phases)
    sources = dict.fromkeys(feed.source for feed in read)
    across = (pair for pair in product(training, testing) if pair[0] != pair[1])
    pairs = [*((one, one) for one in sources), *islice(across, _MOST_PAIRS)]
    overlaps = []
    for one, other in pairs:
        overlap = find_overlap(one, other, scanned) if one is not None and other is not None else None
        if overlap is not None:
            here, there = overlap.conflict if overlap.relabelled and one == other else overlap.first
            overlaps.append(overlap._replace(named=(name(overlap.one, here), name(overlap.other, there))))
    return overlaps


def find_overlap(one: Source, other: Source, scanned: Mapping[Source, Scanned]) -> Overlap | None:
    """What two sources, or a source and itself, share; None for nothing."""
    import numpy as np

    first, second = scanned[one].parts, scanned[other].parts
    total = sum(part.stat().st_size // 16 for part in {*first, *second})
    passes = max(1, -(-total // _AT_ONCE))
    records = relabelled = 0
    pairs: list[tuple[int, int]] = []
    conflicts: list[tuple[int, int]] = []
    for number in range(passes):
        here = _rows(first, number, passes)
        order = np.argsort(here[:, 0], kind="stable")
        digests = here[order, 0]
        if one == other:
            place = np.searchsorted(digests, digests)  # of the first record with that image
            twice = np.flatnonzero(place < np.arange(len(digests)))
            lefts, rights = here[order[place[twice]]], here[order[twice]]
        else:
            there = _rows(second, number, passes)
            place = np.minimum(np.searchsorted(digests, there[:, 0]), max(len(digests) - 1, 0))
            both = np.flatnonzero(digests[place] == there[:, 0]) if len(digests) else np.zeros(0, np.int64)
            lefts, rights = here[order[place[both]]], there[both]
        changed = np.flatnonzero(lefts[:, 1] != rights[:, 1])
        records += len(rights)
        relabelled += len(changed)
        if len(rights):
            at = int(rights[:, 2].argmin())
            pairs.append((int(lefts[at, 2]), int(rights[at, 2])))
        if len(changed):
            at = int(changed[rights[changed, 2].argmin()])
            conflicts.append((int(lefts[at, 2]), int(rights[at, 2])))
    if not records:
        return None
    return Overlap(
        one, other, records, min(pairs, key=_second), relabelled, min(conflicts, key=_second, default=(0, 0))
    )


def _rows(parts: Sequence[Path], number: int, passes: int) -> Any:
    """Digest, label and number of the records of a pass."""
    import numpy as np

    found = [np.zeros((0, 3), np.int64)]
    begin = 0
    for rows in _read(parts):
        numbers = np.arange(begin, begin + len(rows))
        begin += len(rows)
        wanted = rows[:, 0] != 0
        if passes > 1:
            wanted &= (rows[:, 0].view(np.uint64) >> np.uint64(40)) % np.uint64(passes) == number
        found.append(np.column_stack([rows[wanted], numbers[wanted]]))
    return np.concatenate(found)


def _read(parts: Sequence[Path]) -> Iterator[Any]:
    import numpy as np

    for part in parts:
        yield np.fromfile(part, np.int64).reshape(-1, 2)


def _second(pair: tuple[int, int]) -> int:
    return pair[1]
