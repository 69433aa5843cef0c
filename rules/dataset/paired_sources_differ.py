from __future__ import annotations

from collections.abc import Iterator

from caffelint.evidence.data.rule import DataEvidence, DatasetRule, Facts, Feed
from caffelint.lint import ERROR, Cause, Finding, Invalid, Related, title
from caffelint.lint.built import Paired, joined, paired

from ._example import PAIRED, SOURCE, records
from ._paired import meetings
from ._words import counted, path, source_place

_LABEL = ("compares with", "the label of", "write one label for each record")
_STREAM = ("puts together with", "what belongs to", "write the same records to both")


class PairedSourcesDiffer(DatasetRule):
    """Data and labels come from two sources that hold different numbers of records.

    ## Why is this bad?
    Each data layer begins anew at the end of its own source. Once the shorter one has begun anew, every image meets the
    label of another one, for the rest of the training, and nothing breaks.

    ## References
    - data_layer.cpp, Next
    """

    code = "E120"
    name = "paired-sources-differ"
    severity = ERROR
    _STREAMS = (
        SOURCE.format("data", "train_lmdb")
        + SOURCE.format("label", "masks")
        + 'layer { name: "both" type: "Concat" bottom: "data" bottom: "label" top: "both" }\n'
    )
    _MASKS = "label 0; image 1x2x2 0 1 1 0\nlabel 0; image 1x2x2 0 1 0 0\n"
    VALID = [{"net.prototxt": PAIRED, "train_lmdb": records(0, 0), "masks": _MASKS}]
    INVALID = [
        Invalid(
            {"net.prototxt": PAIRED, "train_lmdb": records(0, 0, 0), "masks": _MASKS},
            span='source: "masks"',
            message='Data "label": "masks" has 2 records, but "train_lmdb", which SoftmaxWithLoss "loss" compares with'
            " it, has 3, so after 2 each meets the label of another one; write one label for each record",
        ),
        Invalid(
            {"net.prototxt": _STREAMS, "train_lmdb": records(0, 0, 0), "masks": _MASKS},
            span='source: "masks"',
            message='Data "label": "masks" has 2 records, but "train_lmdb", which Concat "both" puts together with it,'
            " has 3, so after 2 each meets what belongs to another one; write the same records to both",
        ),
    ]

    def check(self, data: DataEvidence) -> Iterator[Finding]:
        for meeting in meetings(data, paired):
            yield from self._pair(*meeting, _LABEL)
        for meeting in meetings(data, joined):
            yield from self._pair(*meeting, _STREAM)

    def _pair(
        self, pair: Paired, data: Feed, images: Facts, target: Feed, labels: Facts, words: tuple[str, str, str]
    ) -> Iterator[Finding]:
        if not images.total or not labels.total or images.total * _batch(target) == labels.total * _batch(data):
            return
        what = f"{title(target.layer)}: {path(target)} has {counted(labels.total)}, but {path(data)}, which"
        how, meets, remedy = words
        what += f" {title(pair.loss)} {how} it, has {images.total:,}, so after"
        what += f" {min(images.total, labels.total):,} each meets {meets} another one"
        yield self.finding(
            target.layer.at(*source_place(target)),
            f"{what}; {remedy}",
            cause=Cause("data", what, remedy),
            phases=target.phases,
            related=(Related("the other source", data.layer.at(*source_place(data))),),
        )


def _batch(feed: Feed) -> int:
    """How many records a pass takes: of sequences, many more than there are labels."""
    return max(feed.made.batch_size, 1)
