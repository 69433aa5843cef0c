from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import SCALAR, DataEvidence, DatasetRule, Top
from caffelint.lint import TRAIN, WARNING, Cause, Finding, Invalid, title

from ._example import NET, SOUND, project, records
from ._words import number, path, source_place

_SHARE = 0.2
"""Of the changes that records in random order have."""


class SortedByLabel(DatasetRule):
    """The records of the training set are sorted by their labels, and nothing shuffles them.

    ## Why is this bad?
    Each batch holds one class, so the net learns to answer with the class that it sees now and forgets the others; the
    loss falls within a class and jumps at the next.

    ## References
    - `convert_imageset --shuffle`; ImageData and HDF5Data take `shuffle: true`, which mixes the records of a file and
      the order of the files (hdf5_data_layer.cpp)
    """

    code = "E112"
    name = "sorted-by-label"
    severity = WARNING
    VALID = [SOUND]
    INVALID = [
        Invalid(
            project(records(*[0] * 12, *[1] * 12, *[2] * 12), NET),
            span='source: "train_lmdb"',
            message='Data "data": records of "train_lmdb" are sorted by label: on average 12 of one class follow each'
            " other, more than batch_size 4, so a batch holds one class; write them with convert_imageset --shuffle",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed, facts in data.read:
            for key, top in facts.tops.items():
                classes = [one for one in feed.readers(key) if one.layer.reads_classes(one.bottom)]
                if TRAIN not in feed.phases or not classes or list(top.shapes) != [SCALAR] or data.is_sample:
                    continue
                run = top.records / (top.changes + 1)
                shuffled = feed.made.has_setting("shuffle") and feed.made.parameters.shuffle
                apart = feed.made.lists_files and not top.inside
                if (shuffled and not apart) or run < max(feed.made.batch_size, 2) or not _is_grouped(top):
                    continue
                remedy = "write them with convert_imageset --shuffle"
                if feed.made.has_setting("shuffle"):
                    remedy = "set shuffle: true"
                if apart:
                    remedy = "write files that hold records of all classes"
                what = f"{title(feed.layer)}: records of {path(feed)} are sorted by label: on average {number(run)} of"
                what += f" one class follow each other, more than batch_size {feed.made.batch_size}, so a batch holds"
                what += " one class"
                if apart:
                    what = f"{title(feed.layer)}: each file of {path(feed)} holds one class alone, and Caffe mixes no"
                    what += f" records of two files, so a batch of {feed.made.batch_size} holds one class"
                yield self.finding(
                    feed.layer.at(*source_place(feed)),
                    f"{what}; {remedy}",
                    phases=feed.phases,
                    cause=Cause("data", what, remedy),
                )


def _is_grouped(top: Top) -> bool:
    """Does the label change far less often than it would in random order?"""
    values = top.values or {}
    alike = sum((count / top.records) ** 2 for count in values.values())
    return len(values) > 1 and top.changes < _SHARE * top.records * (1 - alike)
