from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Feed
from caffelint.lint import ERROR, Cause, Finding, Invalid, title

from ._example import NET, SOUND
from ._words import path, source_place


class SourceNotReadable(DatasetRule):
    """A source is missing, damaged, empty, or something else than what the layer reads.

    ## Why is this bad?
    Caffe aborts when it opens the source, or later, when it comes to the damaged part.

    ## References
    - db_lmdb.cpp and db_leveldb.cpp, Open; hdf5_data_layer.cpp, LoadHDF5FileData
    """

    code = "E116"
    name = "source-not-readable"
    severity = ERROR
    VALID = [SOUND]
    INVALID = [
        Invalid(
            {"net.prototxt": NET},
            span='source: "train_lmdb"',
            message='Data "data": source "train_lmdb" does not exist',
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for feed in data.feeds:
            if feed.source is None:
                if feed.is_read:
                    yield self._finding(feed, f"{title(feed.layer)}: {feed.why}")
                continue
            scanned = data.scanned[feed.source]
            if scanned.missing:
                continue  # what is wrong is not the data
            if scanned.error:
                yield self._finding(feed, f"{title(feed.layer)}: source {path(feed)} {scanned.error}")
            elif scanned.facts.stopped:
                of = f" of {scanned.facts.total:,}" if scanned.facts.total > scanned.facts.records else ""
                read = f"after {scanned.facts.records:,}{of} records were read" if scanned.facts.records else ""
                what = f"{title(feed.layer)}: source {path(feed)} {scanned.facts.stopped}"
                yield self._finding(feed, what, read)

    def _finding(self, feed: Feed, what: str, evidence: str = "") -> Finding:
        place = feed.layer.at(*source_place(feed))
        return self.finding(place, what, evidence=evidence, phases=feed.phases, cause=Cause("data", what, evidence))
