from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from caffelint.evidence.data.rule import Columns, DataEvidence, DatasetRule, Facts, Feed, Top
from caffelint.lint import INFO, LIKELY, Cause, Finding, Invalid, title

from ._example import project
from ._words import number, once, path, source_place

_FEWEST = 40
"""Records of a file: of fewer the means say little."""
_SEVERAL = 2
"""Values of a record: a file may be sorted by one."""
_APART, _ALIKE = 1.0, 0.3
"""Of a spread: how far the means of values are apart that differ from file to file, and that do not."""
_NET = """layer {
  name: "in"
  type: "HDF5Data"
  top: "data"
  top: "box"
  hdf5_data_param { source: "train_lmdb" batch_size: 4 }
}
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 2 } }
layer { name: "loss" type: "EuclideanLoss" bottom: "fc" bottom: "box" top: "loss" }
"""


def _rows(first: float, second: float, image: float = 0.0) -> str:
    """Two files: of the first values around 0.5 and `first`, of the second around 0.5 and `second`."""
    return "\n".join(
        f"file {name}; data 2x1x1 {image * (name > 'a.h5') + row % 7} {row % 5}.5; box 2x1x1"
        f" {second_value + 0.1 * (row % 4)} {second_value + 0.1 * (row % 3)}"
        for name, second_value in (("a.h5", first), ("b.h5", second))
        for row in range(50)
    )


class FilesAskOtherwise(DatasetRule):
    """The files of a list hold data of one kind, but targets of two.

    ## Why is this bad?
    Files that were written by two programs, or at two times, may write targets in two ways, as a box by its corners or
    by its centre and size, or in other units. The net is pulled to and fro between both, and learns neither.

    ## Known problems
    Only lists of HDF5 files are looked at, for targets of several values that a distance is measured to: the means of
    two values are more than their spread apart in two files, and those of the data of both are not. Files may be sorted
    by such values, so it is an info; `smoke` tells it of a net that tests badly.

    ## References
    - hdf5_data_layer.cpp, LoadHDF5FileData; euclidean_loss_layer.cpp
    """

    code = "E137"
    name = "files-ask-otherwise"
    severity = INFO
    certainty = LIKELY
    VALID = [
        project(_rows(0.5, 0.55), _NET),
        # The data differ as well, as those of two places do.
        project(_rows(0.5, 2.0, image=9.0), _NET),
    ]
    INVALID = [
        Invalid(
            project(_rows(0.5, 2.0), _NET),
            span='source: "train_lmdb"',
            message='HDF5Data "in": a.h5 and b.h5 of "train_lmdb" hold data of one kind, but value 1 of "box" is 0.598'
            " on average in the first and 2.098 in the second, with a spread of 0.08122; write it in the same way in"
            " both",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in once(data):
            inputs = [one for key, one in facts.tops.items() if not _is_target(feed, key)]
            for key, top in facts.tops.items():
                if _is_target(feed, key) and inputs and (found := _most_apart(top, inputs)) is not None:
                    yield self._told(feed, facts, key, *found)

    def _told(self, feed: Feed, facts: Facts, key: str, one: str, other: str, column: int) -> Finding:
        files = facts.tops[key].files
        mean, another = (number(files[name].mean(column)) for name in (one, other))
        spread = number(_spread(files[one], files[other], column))
        what = f"{title(feed.layer)}: {one} and {other} of {path(feed)} hold data of one kind, but value {column} of"
        what += f' "{key}" is {mean} on average in the first and {another} in the second, with a spread of {spread}'
        remedy = "write it in the same way in both"
        return self.finding(
            feed.layer.at(*source_place(feed)),
            f"{what}; {remedy}",
            phases=feed.phases,
            cause=Cause("data", what, remedy, LIKELY),
        )


def _is_target(feed: Feed, key: str) -> bool:
    blob = feed.top_of(key)
    return blob is not None and any(layer.is_distance and bottom == 1 for layer, bottom in blob.readers)


def _most_apart(top: Top, inputs: Sequence[Top]) -> tuple[str, str, int] | None:
    """Two files and the value of a record in which they are farthest apart, if what goes with it is alike in both."""
    names = [name for name, one in top.files.items() if one.records >= _FEWEST and len(one.sums) > 1]
    found = None
    most = _APART
    for one, other in combinations(names, 2):
        far = [_apart(top.files[one], top.files[other], column) for column in range(len(top.files[one].sums))]
        if (
            max(far) > most
            and sum(value > _APART for value in far) >= _SEVERAL
            and all(_are_alike(data, one, other) for data in inputs)
        ):
            found, most = (one, other, far.index(max(far))), max(far)
    return found


def _are_alike(top: Top, one: str, other: str) -> bool:
    here, there = top.files.get(one), top.files.get(other)
    if here is None or there is None or len(here.sums) != len(there.sums):
        return False
    return all(_apart(here, there, column) < _ALIKE for column in range(len(here.sums)))


def _apart(one: Columns, other: Columns, column: int) -> float:
    spread = _spread(one, other, column)
    difference = abs(one.mean(column) - other.mean(column))
    return difference / spread if spread > 0 else math.inf if difference else 0.0


def _spread(one: Columns, other: Columns, column: int) -> float:
    return math.sqrt((one.variance(column) + other.variance(column)) / 2)
