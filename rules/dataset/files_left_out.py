from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule
from caffelint.lint import INFO, LIKELY, TRAIN, WARNING, Cause, Finding, Invalid, title

from ._words import counted, path, source_place

_SHOWN = 3


class FilesLeftOut(DatasetRule):
    """A list names only some of the HDF5 files that were made as parts of one data set, and no list names the others.

    ## Why is this bad?
    HDF5 files are limited in size, so a data set is often written as several. Caffe reads what the list names: the net
    trains on a part of its data, and nothing says so.

    ## Known problems
    Files are parts of one data set if their names differ only in the last number, these numbers count from 0 or 1
    without a gap, and their sizes are about the same. Where fewer are left out than named, or only one is named, this
    is an info, since the others may be kept for later.

    ## References
    - hdf5_data_layer.cpp, LayerSetUp
    """

    code = "E122"
    name = "files-left-out"
    severity = WARNING
    certainty = LIKELY
    _NET = """layer {
  name: "data"
  type: "HDF5Data"
  top: "data"
  top: "label"
  hdf5_data_param { source: "train.txt" batch_size: 4 }
}
layer {
  name: "loss"
  type: "EuclideanLoss"
  bottom: "data"
  bottom: "label"
  top: "loss"
}
"""
    _ROWS = "data 1x1 0.5; label 0.25\ndata 1x1 0.25; label 0.5"
    VALID = [{"net.prototxt": _NET, "train.txt": _ROWS}]
    INVALID = [
        Invalid(
            {"net.prototxt": _NET, "train.txt": f"{_ROWS}\nbeside 1 train_0.h5 train_2.h5"},
            span='source: "train.txt"',
            message='HDF5Data "data": "train.txt" names 1 of 3 files that look like parts of one data set, so'
            ' "train_0.h5" and "train_2.h5" are never read; add them to the list',
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, _ in data.read:
            left = data.left_out.get(feed.source) if feed.source is not None and TRAIN in feed.phases else None
            if left is None:
                continue
            names = [f'"{name}"' for name in left.others]
            shown = " and ".join(names) if len(names) < _SHOWN else f"{names[0]} and {len(names) - 1} more"
            what = f"{title(feed.layer)}: {path(feed)} names {left.named} of"
            what += f" {counted(left.named + len(names), 'file')} that look like parts of one data set, so {shown}"
            what += f" {'is' if len(names) == 1 else 'are'} never read"
            remedy = f"add {'it' if len(names) == 1 else 'them'} to the list"
            yield self.finding(
                feed.layer.at(*source_place(feed)),
                f"{what}; {remedy}",
                severity=INFO if left.named == 1 or len(names) < left.named else None,
                phases=feed.phases,
                cause=Cause("data", what, remedy, LIKELY),
            )
