from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Facts, Feed
from caffelint.lint import ERROR, LIKELY, WARNING, Cause, Finding, Invalid, Related, compiled_later, title
from caffelint.lint.built import Paired, paired

from ._example import PAIRED
from ._paired import meetings
from ._words import path, source_place

_NUMBER = compiled_later(r"(\d{1,18})(?:\D|$)")


class PairedSourcesInOtherOrder(DatasetRule):
    """Data and labels come from two sources that are numbered alike and sorted otherwise.

    ## Why is this bad?
    A database gives its records in the order of their keys as text: `00000001`, `00000002` come one after the other,
    but `1`, `10`, `100`, `2` as well. Where the one is written in one way and the other in the other, nearly every
    record meets the label of another one, and nothing breaks. So it is where one of them is HDF5, which is read row
    after row, and where two lists of images were sorted apart.

    ## References
    - db_lmdb.hpp, LMDBCursor; data_layer.cpp, Next
    """

    code = "E131"
    name = "paired-sources-in-other-order"
    severity = ERROR
    certainty = LIKELY
    _IMAGES = "\n".join(f"key {number:08}_cat.png; label 0; image 1x1x2 {number} 9" for number in range(12))
    _PADDED = "\n".join(f"key {number:08}; label 0; image 1x1x2 0 1" for number in range(12))
    _PLAIN = "\n".join(f"key {number}; label 0; image 1x1x2 0 1" for number in sorted(range(12), key=str))
    _ROWS = "\n".join("label 0; image 1x1x2 0 1" for _ in range(12))
    _WITH_ROWS = PAIRED.replace(
        'type: "Data" top: "label" data_param { source: "masks" backend: LMDB',
        'type: "HDF5Data" top: "label" hdf5_data_param { source: "masks"',
    )
    VALID = [
        {"net.prototxt": PAIRED, "train_lmdb": _IMAGES, "masks": _PADDED},
        {"net.prototxt": _WITH_ROWS, "train_lmdb": _PADDED.replace("2 0 1", "1 0"), "masks": _ROWS},
        {"net.prototxt": PAIRED, "train_lmdb": _PLAIN, "masks": _PLAIN},
    ]
    INVALID = [
        Invalid(
            {"net.prototxt": PAIRED, "train_lmdb": _IMAGES, "masks": _PLAIN},
            span='source: "masks"',
            message='Data "label": "masks" and "train_lmdb", which SoftmaxWithLoss "loss" compares with it, are'
            ' numbered alike and sorted otherwise: record 3 is "10" here and "00000002_cat.png" there; write the'
            " numbers of both with zeros in front (00000010)",
        ),
        Invalid(
            {"net.prototxt": _WITH_ROWS, "train_lmdb": _PLAIN.replace("2 0 1", "1 0"), "masks": _ROWS},
            span='source: "train_lmdb"',
            message='Data "data": the keys of "train_lmdb" are numbers, and sorted as text: record 3 is "10", but'
            ' "masks", which it is trained with, is read row after row; unless the rows were written as the database'
            " gives its records, write the numbers with zeros in front (00000010)",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        if data.is_sample:
            return  # whose first keys are not those of the whole
        for meeting in meetings(data, paired):
            yield from self._pair(*meeting)

    def _pair(self, pair: Paired, data: Feed, images: Facts, target: Feed, labels: Facts) -> Iterator[Finding]:
        if images.total != labels.total or data.made.draws_at_random or target.made.draws_at_random:
            return
        if _has_keys(data, images) and _has_rows(target, labels):
            yield from self._rows(data, images, target)
        elif _has_keys(target, labels) and _has_rows(data, images):
            yield from self._rows(target, labels, data)
        at = _differ(labels.first, images.first)
        if at >= 0:
            what = f"{title(target.layer)}: {path(target)} and {path(data)}, which {title(pair.loss)} compares with it,"
            what += f' are numbered alike and sorted otherwise: record {at + 1} is "{labels.first[at]}" here and'
            what += f' "{images.first[at]}" there'
            lists = [one for one in (target, data) if _is_list(one)]
            remedy = "write the numbers of both with zeros in front (00000010)"
            if lists:
                remedy = "sort both lists alike" if lists[1:] else f"sort {path(lists[0])} as the other is"
            yield self._tell(target, data, what, remedy, ERROR)

    def _rows(self, keyed: Feed, facts: Facts, rows: Feed) -> Iterator[Finding]:
        """What has keys beside what has none, and is read row after row."""
        numbers = [_number(key) for key in facts.first]
        at = _differ(facts.first, [str(number) for number in range(min(numbers), min(numbers) + len(numbers))])
        if at >= 0:
            what = (
                f"{title(keyed.layer)}: the keys of {path(keyed)} are numbers, and sorted as text: record {at + 1} is"
            )
            what += f' "{facts.first[at]}", but {path(rows)}, which it is trained with, is read row after row'
            remedy = "unless the rows were written as the database gives its records, write the numbers with zeros in"
            yield self._tell(keyed, rows, what, f"{remedy} front (00000010)", WARNING)

    def _tell(self, feed: Feed, other: Feed, what: str, remedy: str, severity: str) -> Finding:
        return self.finding(
            feed.layer.at(*source_place(feed)),
            f"{what}; {remedy}",
            severity=severity,
            cause=Cause("data", what, remedy, LIKELY),
            phases=feed.phases,
            related=(Related("the other source", other.layer.at(*source_place(other))),),
        )


def _is_list(feed: Feed) -> bool:
    """Is it a list of images, whose order is that of its lines?"""
    return feed.source is not None and feed.source.kind == "images"


def _has_keys(feed: Feed, facts: Facts) -> bool:
    """Is it read in the order of keys, which are known?"""
    return bool(facts.first) and not _is_list(feed)


def _has_rows(feed: Feed, facts: Facts) -> bool:
    """Is it read in the order in which it was written, as lists and what has no keys are?"""
    return (not facts.first or _is_list(feed)) and not feed.made.draws_at_random


def _differ(one: Sequence[str], other: Sequence[str]) -> int:
    """The first record with another number, where the numbers of the one follow one another, and those of the other do
    not, as they are sorted as text; -1 for none."""
    numbers = [[_number(key) for key in keys] for keys in (one, other)]
    if not one or len(one) != len(other) or any(number < 0 for each in numbers for number in each):
        return -1
    follow = [all(later - earlier == 1 for earlier, later in pairwise(each)) for each in numbers]
    if numbers[0][0] != numbers[1][0] or follow[0] == follow[1]:
        return -1
    plain = numbers[1] if follow[0] else numbers[0]
    if [str(number) for number in plain] != sorted(map(str, plain)):
        return -1
    return next(at for at, (here, there) in enumerate(zip(*numbers, strict=True)) if here != there)


def _number(key: str) -> int:
    """That which a key begins with; -1 for none."""
    found = _NUMBER.match(key)
    return int(found[1]) if found else -1
