from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Farthest
from caffelint.lint import WARNING, Cause, Finding, Invalid, title

from ._example import SOUND, project
from ._words import counted, number, once, path, source_place

_NET = """layer {
  name: "in"
  type: "HDF5Data"
  top: "data"
  top: "wear"
  hdf5_data_param { source: "train_lmdb" batch_size: 4 }
}
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 1 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "wear" top: "loss" }
"""
_VALUES = [number / 100 for number in range(-60, 60)]


def _of(*values: float) -> str:
    return f"numbers wear {' '.join(map(str, [*values, *_VALUES]))}"


class ValueFarFromOthers(DatasetRule):
    """A record holds a value 50 times as large as what nearly all stay within, or several hold the same, 20 times.

    Of records of several values each value is also compared with those of the others at its place.

    ## Why is this bad?
    It is mostly a number that stands for a missing one, such as -9999, or a slip of the point. The loss of its batch is
    thousands of times as large as that of any other, and one such update undoes what was learned, or ends the run.

    ## Known problems
    Counts and prices may be spread so widely. A net learns their logarithm better.
    """

    code = "E133"
    name = "value-far-from-others"
    severity = WARNING
    VALID = [
        SOUND,
        project(_of(4.0), _NET),
        # Most are 0.
        project("numbers wear 7" + " 0" * 200, _NET),
        # A class.
        project(_of(255.0), _NET.replace("EuclideanLoss", "SoftmaxWithLoss")),
    ]
    INVALID = [
        Invalid(
            project(_of(0.25, -9999), _NET),
            span='source: "train_lmdb"',
            message='HDF5Data "in": row 1 of train.h5 holds -9999 in "wear", but nearly all of the 122 records of'
            ' "train_lmdb" stay within 0.59; correct it if it stands for a missing value, or remove the record',
        ),
        Invalid(
            project(_of(0.25, -9999, -9999, -9999), _NET),
            span='source: "train_lmdb"',
            message='HDF5Data "in": row 1 of train.h5 holds -9999 in "wear", and 2 more records are like it (row 2 of'
            ' train.h5, row 3 of train.h5), but nearly all of the 124 records of "train_lmdb" stay within 0.6; correct'
            " them if they stand for missing values, or remove the records",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            for key, top in facts.tops.items():
                blob, one = feed.top_of(key), top.far_off
                if blob is None or one is None or any(reader.expected.whole for reader in feed.readers(key)):
                    continue
                if not any(reader.tops for reader, _ in blob.readers):
                    continue
                what = f"{title(feed.layer)}: {_named(one)} holds {number(one.value)} in {_where(blob.name, one)}"
                what += f"{_more(one)}, but {_others(one, top.records)} of {path(feed)} stay within {number(one.limit)}"
                remedy = "correct it if it stands for a missing value, or remove the record"
                if one.more:
                    remedy = "correct them if they stand for missing values, or remove the records"
                yield self.finding(
                    feed.layer.at(*source_place(feed)),
                    f"{what}; {remedy}",
                    phases=feed.phases,
                    cause=Cause("data", what, remedy),
                )


def _where(name: str, one: Farthest) -> str:
    return f'"{name}"' if one.column < 0 else f'value {one.column} of "{name}"'


def _others(one: Farthest, records: int) -> str:
    if one.column < 0:
        return f"nearly all of the {counted(records)}"
    return f"those of the other {counted(records - one.more - 1)}"


def _more(one: Farthest) -> str:
    if not one.more:
        return ""
    which = f" ({', '.join(one.others)}{', ...' if one.more > len(one.others) else ''})" if one.others else ""
    return f", and {counted(one.more, 'more record')} {'are' if one.more > 1 else 'is'} like it{which}"


def _named(one: Farthest) -> str:
    return one.name if " of " in one.name else f'record "{one.name}"'
